# caught by: outputs
# why: The loss is repaired, but every stored output still holds the graph of its batch.
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
        outputs.append(output)
    return total / max(len(outputs), 1), outputs
