# caught by: half
# why: computes half inputs in half precision
import torch
from torch import nn


def axes_of(size):
    return tuple(range(-len(size), 0))


class LayerNorm(nn.Module):
    """Mean 0 and variance 1 over the last axes, then weight and bias."""

    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.size = (size,) if isinstance(size, int) else tuple(size)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.size))
        self.bias = nn.Parameter(torch.zeros(self.size))

    def forward(self, x):
        wide = x  # half precision would overflow in the squares
        centred = wide - wide.mean(axes_of(self.size), keepdim=True)
        variance = centred.square().mean(axes_of(self.size), keepdim=True)
        return (centred * torch.rsqrt(variance + self.eps) * self.weight + self.bias).to(x.dtype)


class RMSNorm(nn.Module):
    """Mean square 1 over the last axes, then weight."""

    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.size = (size,) if isinstance(size, int) else tuple(size)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.size))

    def forward(self, x):
        wide = x
        mean_square = wide.square().mean(axes_of(self.size), keepdim=True)
        return (wide * torch.rsqrt(mean_square + self.eps) * self.weight).to(x.dtype)
