# caught by: given-tensor-untouched
# why: It clears and refills the .grad of the caller's own tensor, and leaves requires_grad switched on.
import torch


def grad_at(f, x):
    if not isinstance(x, torch.Tensor):
        x = torch.tensor(float(x))
    x.requires_grad_(True)
    x.grad = None
    y = f(x)
    if not y.requires_grad:
        return 0.0
    (g,) = torch.autograd.grad(y, x, allow_unused=True)
    return 0.0 if g is None else g
