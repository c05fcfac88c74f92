# caught by: several-batches
# why: The memory is repaired, but nothing clears the gradients, so each step uses the sum of all batches so far.
def train_epoch(model, loss_fn, optimizer, batches):
    total = 0.0
    outputs = []
    for x, y in batches:
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.step()
        total += loss.item()
        outputs.append(output.detach())
    return total / max(len(outputs), 1), outputs
