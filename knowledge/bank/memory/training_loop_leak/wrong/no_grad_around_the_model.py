# caught by: documented-example
# why: Without a graph there is nothing to leak, and nothing to train either.
import torch


def train_epoch(model, loss_fn, optimizer, batches):
    total = 0.0
    outputs = []
    for x, y in batches:
        optimizer.zero_grad()
        with torch.no_grad():
            output = model(x)
            loss = loss_fn(output, y)
        total += loss.item()
        outputs.append(output)
    return total / max(len(outputs), 1), outputs
