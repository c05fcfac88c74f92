# caught by: double-backward
# why: The widespread answer. The saved sigmoid is a constant to double backward, so second derivatives are wrong.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        sig = x.sigmoid()
        ctx.save_for_backward(x, sig)
        return sig * x

    @staticmethod
    def backward(ctx, grad_output):
        x, sig = ctx.saved_tensors
        return (sig + x * sig * (1 - sig)) * grad_output


def swish(x):
    return SwishFunction.apply(x)
