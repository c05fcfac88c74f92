# caught by: double-backward
# why: Detaching x in backward cuts the gradient off from x.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x = x.detach()
        s = torch.sigmoid(x)
        return grad_output * s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
