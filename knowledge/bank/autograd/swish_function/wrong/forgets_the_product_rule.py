# caught by: documented-example
# why: It differentiates the sigmoid alone, x · s · (1 − s), and leaves out the first term of the product rule.
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
        return grad_output * x * s * (1 - s)


def swish(x):
    return SwishFunction.apply(x)
