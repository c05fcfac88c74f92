import torch


def grad_at(f, x):
    """The derivative of f at x, as a tensor without dimensions."""
    leaf = x.detach() if isinstance(x, torch.Tensor) else torch.tensor(float(x))
    leaf.requires_grad_(True)  # detach() made a tensor of its own, so x keeps its flag
    y = f(leaf)
    if not y.requires_grad:  # no graph at all: f is constant
        return torch.zeros_like(leaf)
    (gradient,) = torch.autograd.grad(y, leaf, materialize_grads=True)  # 0, not None, for an x that does not occur
    return gradient
