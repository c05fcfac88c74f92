import math

import torch


def adamw_step(parameters, gradients, state, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
    b1, b2 = betas
    for p, g in zip(parameters, gradients):
        if g is None:
            continue
        t, m, v = state.get(id(p), (0, torch.zeros_like(g), torch.zeros_like(g)))
        t, m, v = t + 1, b1 * m + (1 - b1) * g, torch.lerp(g * g, v, b2)
        state[id(p)] = (t, m, v)
        denominator = v.sqrt() / math.sqrt(1 - b2**t) + eps
        update = m / denominator / (1 - b1**t) + weight_decay * p.detach()
        p.data.add_(update, alpha=-lr)
