# caught by: generator
# why: A generator has no length.
def train_epoch(model, loss_fn, optimizer, batches):
    total = 0.0
    outputs = []
    for x, y in batches:
        optimizer.zero_grad()
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.step()
        total += loss.item()
        outputs.append(output.detach())
    return total / max(len(batches), 1), outputs
