# caught by: repeated-calls
# why: It calls backward() on the tensor that was handed in, so each call adds to the .grad of the one before.
import torch


def grad_at(f, x):
    if not isinstance(x, torch.Tensor):
        x = torch.tensor(float(x))
    x.requires_grad_(True)
    y = f(x)
    if not y.requires_grad:
        return 0.0
    y.backward()
    return 0.0 if x.grad is None else x.grad.item()
