# caught by: at-zero
# why: It saves only the output and recovers the sigmoid as y / x, which is 0 / 0 at x = 0.
import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * torch.sigmoid(x)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        s = y / x
        return grad_output * (s + y * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
