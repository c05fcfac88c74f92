# caught by: constant-function
# why: The output of a constant function has no graph, and differentiating it raises.
import torch


def grad_at(f, x):
    leaf = torch.as_tensor(x).detach().clone()
    if not leaf.is_floating_point():
        leaf = leaf.float()
    leaf.requires_grad_(True)
    return torch.autograd.grad(f(leaf), leaf, materialize_grads=True)[0]
