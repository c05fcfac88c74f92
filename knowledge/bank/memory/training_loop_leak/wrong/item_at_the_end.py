# caught by: graphs-released
# why: The sum is turned into a number only after the loop, so until then it holds the graphs of all batches.
def train_epoch(model, loss_fn, optimizer, batches):
    total = 0.0
    outputs = []
    for x, y in batches:
        optimizer.zero_grad()
        output = model(x)
        loss = loss_fn(output, y)
        loss.backward()
        optimizer.step()
        total = total + loss
        outputs.append(output.detach())
    return float(total) / max(len(outputs), 1), outputs
