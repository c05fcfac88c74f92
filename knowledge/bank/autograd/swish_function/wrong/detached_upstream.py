# caught by: double-backward-upstream
# why: The gradient depends on grad_output, too, and a detached copy of it hides that from double backward.
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
        return grad_output.detach() * s * (1 + x * (1 - s))


def swish(x):
    return SwishFunction.apply(x)
