# caught by: gradient-values
# why: It returns dy/dx instead of grad_output · dy/dx, which is right only for an upstream gradient of 1.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
