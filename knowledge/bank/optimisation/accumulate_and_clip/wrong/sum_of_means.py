# caught by: accumulated
# why: adds the mean gradients without dividing, so the step is too long
import math

import torch


def train_step(model, loss_fn, batches, optimizer, max_norm):
    """One step on the mean loss over all samples of the micro-batches, clipped; returns that loss and the norm before."""
    optimizer.zero_grad(set_to_none=True)
    total, samples = 0.0, 0
    for x, y in batches:
        loss = loss_fn(model(x), y)  # the sum over the samples, since their number is only known at the end
        loss.backward()
        total += loss.item()
        samples += len(x)
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    for gradient in gradients:
        gradient.div_(1)
    norm = math.sqrt(sum(gradient.double().square().sum().item() for gradient in gradients))
    if math.isfinite(norm):
        if norm > max_norm:
            for gradient in gradients:
                gradient.mul_(max_norm / norm)
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return total / samples, norm
