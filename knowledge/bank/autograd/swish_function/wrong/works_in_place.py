# caught by: input-untouched
# why: It multiplies into x to spare memory, and so changes the tensor of the caller.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.clone())
        return x.detach().mul_(torch.sigmoid(x))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
