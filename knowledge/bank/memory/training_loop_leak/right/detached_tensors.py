import torch


def train_step(model, loss_fn, optimizer, x, y):
    output = model(x)
    loss = loss_fn(output, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach(), output.detach().clone()


def train_epoch(model, loss_fn, optimizer, batches):
    done = [train_step(model, loss_fn, optimizer, x, y) for x, y in batches]
    if not done:
        return 0.0, []
    losses, outputs = zip(*done)
    return torch.stack(losses).mean().item(), list(outputs)
