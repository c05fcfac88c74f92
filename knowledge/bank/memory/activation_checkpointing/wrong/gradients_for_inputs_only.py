# caught by: values
# why: autograd.grad for the inputs gives nothing to the parameters
import torch


class _Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, dummy, *inputs):
        ctx.function = function
        ctx.state = torch.get_rng_state()
        ctx.save_for_backward(*inputs)
        return function(*inputs)  # autograd is off in here: no graph is built

    @staticmethod
    def backward(ctx, gradient):
        inputs = [item.detach().requires_grad_(item.requires_grad) for item in ctx.saved_tensors]
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.state)  # the same dropout mask as before
            output = ctx.function(*inputs)
        needed = [item for item in inputs if item.requires_grad]
        found = iter(torch.autograd.grad(output, needed, gradient) if needed else ())
        return None, None, *[next(found) if item.requires_grad else None for item in inputs]


def checkpoint(function, *inputs):
    """function(*inputs), whose activations are not kept but computed again in the backward pass."""
    dummy = torch.empty(0, requires_grad=True)  # so that backward runs even if no input needs a gradient
    return _Checkpoint.apply(function, dummy, *inputs)
