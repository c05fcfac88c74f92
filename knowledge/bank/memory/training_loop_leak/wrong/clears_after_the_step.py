# caught by: leftover-gradient
# why: The gradients are cleared only after each step, so those left from before the call go into the first one.
def train_epoch(model, loss_fn, optimizer, batches):
    total = 0.0
    outputs = []
    for x, y in batches:
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
        outputs.append(output.detach())
    return total / max(len(outputs), 1), outputs
