# caught by: double-precision
# why: The detour over a Python number makes a float32 tensor of a float64 one.
import torch


def grad_at(f, x):
    leaf = torch.tensor(float(x), requires_grad=True)
    y = f(leaf)
    if not y.requires_grad:
        return 0.0
    (g,) = torch.autograd.grad(y, leaf, allow_unused=True)
    return 0.0 if g is None else g.item()
