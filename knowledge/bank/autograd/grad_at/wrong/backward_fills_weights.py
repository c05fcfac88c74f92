# caught by: weight-untouched
# why: backward() adds to the .grad of every leaf that it reaches, so also of the weights that f uses.
import torch


def grad_at(f, x):
    leaf = torch.as_tensor(x).detach().clone()
    if not leaf.is_floating_point():
        leaf = leaf.float()
    leaf.requires_grad_(True)
    y = f(leaf)
    if not y.requires_grad:
        return 0.0
    y.backward()
    return 0.0 if leaf.grad is None else leaf.grad.item()
