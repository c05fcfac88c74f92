# caught by: decay-alone
# why: L2: the decay is added to the gradient, and Adam divides it by its own size
import torch


@torch.no_grad()
def adamw_step(parameters, gradients, state, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
    b1, b2 = betas
    for i, (p, g) in enumerate(zip(parameters, gradients)):
        if g is None:
            continue
        g = g + weight_decay * p
        s = state.setdefault(i, {"t": 0, "m": torch.zeros_like(p), "v": torch.zeros_like(p)})
        s["t"] += 1
        s["m"] = b1 * s["m"] + (1 - b1) * g
        s["v"] = b2 * s["v"] + (1 - b2) * g * g
        m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
        p -= lr * m / (v.sqrt() + eps)
