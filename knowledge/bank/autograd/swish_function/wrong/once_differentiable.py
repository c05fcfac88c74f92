# caught by: double-backward
# why: once_differentiable declares that there is no second derivative, but the question asks for one.
import torch
from torch.autograd.function import once_differentiable


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
