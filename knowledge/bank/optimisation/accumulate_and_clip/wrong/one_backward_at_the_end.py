# caught by: stream
# why: keeps all graphs until the end, although the memory of the batches is used again
import math

import torch


def train_step(model, loss_fn, batches, optimizer, max_norm):
    """One step on the mean loss over all samples of the micro-batches, clipped; returns that loss and the norm before."""
    optimizer.zero_grad(set_to_none=True)
    total, samples, losses = 0.0, 0, []
    for x, y in batches:
        loss = loss_fn(model(x), y) * len(x)  # the sum over the samples, since their number is only known at the end
        losses.append(loss)
        total += loss.item()
        samples += len(x)
    sum(losses).backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    for gradient in gradients:
        gradient.div_(samples)
    norm = math.sqrt(sum(gradient.double().square().sum().item() for gradient in gradients))
    if math.isfinite(norm):
        if norm > max_norm:
            for gradient in gradients:
                gradient.mul_(max_norm / norm)
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return total / samples, norm
