# caught by: documented-example
# why: zero_grad stands between backward and step, so the optimizer never sees a gradient.
def train_epoch(model, loss_fn, optimizer, batches):
    total = 0.0
    outputs = []
    for x, y in batches:
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        total += loss.item()
        outputs.append(output.detach())
    return total / max(len(outputs), 1), outputs
