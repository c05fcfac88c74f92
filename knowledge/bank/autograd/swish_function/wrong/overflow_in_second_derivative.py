# caught by: large-double-backward
# why: 1 / (1 + exp(-x)) survives in forward, but its own derivative multiplies infinity by 0 for very negative x.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x / (1 + torch.exp(-x))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = 1 / (1 + torch.exp(-x))
        return grad_output * (s + x * s * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
