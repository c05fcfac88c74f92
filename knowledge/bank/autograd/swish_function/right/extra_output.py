from torch.autograd import Function


class SwishFunction(Function):
    """Returns x * s and s = sigmoid(x): as an output, s may be saved and stays differentiable."""

    @staticmethod
    def forward(ctx, x):
        s = x.sigmoid()
        ctx.save_for_backward(x, s)
        return x * s, s

    @staticmethod
    def backward(ctx, grad_y, grad_s):
        x, s = ctx.saved_tensors
        ds = s * (1 - s)
        return grad_y * (s + x * ds) + grad_s * ds


def swish(x):
    y, _ = SwishFunction.apply(x)
    return y
