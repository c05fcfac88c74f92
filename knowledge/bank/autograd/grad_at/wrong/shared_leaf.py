# caught by: repeated-calls
# why: One leaf for all calls, whose .grad is never cleared.
import torch

_leaf = torch.zeros((), dtype=torch.float64, requires_grad=True)


def grad_at(f, x):
    with torch.no_grad():
        _leaf.copy_(torch.as_tensor(x))
    y = f(_leaf)
    if y.requires_grad:
        y.backward()
    return 0.0 if _leaf.grad is None else _leaf.grad.clone()
