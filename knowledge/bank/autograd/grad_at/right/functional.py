import torch
from torch.func import grad


def grad_at(f, x):
    point = torch.as_tensor(x)
    if not point.is_floating_point():
        point = point.to(torch.get_default_dtype())
    return grad(f)(point)
