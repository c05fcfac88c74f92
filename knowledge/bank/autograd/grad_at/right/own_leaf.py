import torch


def grad_at(f, x):
    """The derivative of f at x, as a tensor without dimensions."""
    value = x.detach().clone() if isinstance(x, torch.Tensor) else torch.tensor(float(x))
    leaf = value.requires_grad_(True)
    y = f(leaf)
    if not y.requires_grad:  # no graph at all: f is constant
        return torch.zeros_like(value).detach()
    (gradient,) = torch.autograd.grad(y, leaf, allow_unused=True)
    return torch.zeros_like(leaf).detach() if gradient is None else gradient
