import torch


def train_epoch(model, optimizer, batches, accumulate):
    losses = []
    total, tokens, waiting = 0.0, 0, 0

    def step():
        nonlocal total, tokens, waiting
        if tokens:
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.div_(tokens)
            optimizer.step()
            losses.append(total / tokens)
        model.zero_grad()
        total, tokens, waiting = 0.0, 0, 0

    model.zero_grad()
    for ids, targets in batches:
        real = targets != -100
        if real.any():
            chosen = torch.log_softmax(model(ids), -1)[real]
            loss = -chosen.gather(1, targets[real].unsqueeze(1)).sum()
            loss.backward()
            total += loss.item()
            tokens += int(real.sum())
        waiting += 1
        if waiting == accumulate:
            step()
    step()
    return losses
