# caught by: first-step
# why: the first step of the documented example: always lr against the sign, with no memory and no decay but the example's
import torch


@torch.no_grad()
def adamw_step(parameters, gradients, state, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
    b1, b2 = betas
    for i, (p, g) in enumerate(zip(parameters, gradients)):
        if g is None:
            continue
        p *= 0.99
        p -= 0.1 * torch.sign(g)
