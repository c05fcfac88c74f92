def train_epoch(model, loss_fn, optimizer, batches):
    """Train on each batch once; return the mean loss (a float) and the list of the outputs."""
    total = 0.0
    outputs = []
    for x, y in batches:
        optimizer.zero_grad()
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.step()
        total += loss.item()  # a number, without the graph behind it
        outputs.append(output.detach())
    return total / max(len(outputs), 1), outputs
