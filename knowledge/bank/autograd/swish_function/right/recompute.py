import torch


class SwishFunction(torch.autograd.Function):
    """x * sigmoid(x), with its derivative written by hand."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)  # the input alone: a saved sigmoid would be a constant to double backward
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
