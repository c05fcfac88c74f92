# caught by: python-int
# why: An int becomes an integer tensor, and only floating-point tensors can require grad.
import torch


def grad_at(f, x):
    leaf = x.detach().clone() if isinstance(x, torch.Tensor) else torch.tensor(x)
    leaf.requires_grad_(True)
    y = f(leaf)
    if not y.requires_grad:
        return 0.0
    return torch.autograd.grad(y, leaf, materialize_grads=True)[0]
