# caught by: large-inputs
# why: exp(x) / (1 + exp(x)) is infinity divided by infinity for large x.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        e = torch.exp(x)
        return x * (e / (1 + e))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        e = torch.exp(x)
        s = e / (1 + e)
        return grad_output * s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
