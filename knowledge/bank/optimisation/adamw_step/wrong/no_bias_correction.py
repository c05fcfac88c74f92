# caught by: first-step
# why: the averages start at zero, and nothing makes up for it
import torch


@torch.no_grad()
def adamw_step(parameters, gradients, state, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
    b1, b2 = betas
    for i, (p, g) in enumerate(zip(parameters, gradients)):
        if g is None:
            continue
        s = state.setdefault(i, {"m": torch.zeros_like(p), "v": torch.zeros_like(p)})
        s["m"] = b1 * s["m"] + (1 - b1) * g
        s["v"] = b2 * s["v"] + (1 - b2) * g * g
        p *= 1 - lr * weight_decay
        p -= lr * s["m"] / (s["v"].sqrt() + eps)
