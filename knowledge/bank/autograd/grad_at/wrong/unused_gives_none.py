# caught by: unused-input
# why: With allow_unused=True the gradient of an input that does not occur is None, not 0.
import torch


def grad_at(f, x):
    leaf = torch.as_tensor(x).detach().clone()
    if not leaf.is_floating_point():
        leaf = leaf.float()
    leaf.requires_grad_(True)
    y = f(leaf)
    if not y.requires_grad:
        return 0.0
    return torch.autograd.grad(y, leaf, allow_unused=True)[0]
