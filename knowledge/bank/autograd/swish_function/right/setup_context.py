import torch


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.sigmoid(x).mul(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        sig, complement = torch.sigmoid(x), torch.sigmoid(-x)  # the complement without cancellation
        return grad_output * (sig + x * sig * complement)


swish = SwishFunction.apply
