# caught by: zero-sizes
# why: the maximum makes a one of zero and one
import torch


def result_shape(*shapes):
    """The shape that tensors of these shapes are broadcast to, as a tuple. Raises ValueError where they do not fit."""
    result = [1] * max(len(shape) for shape in shapes)
    for shape in shapes:
        for axis in range(1, len(shape) + 1):  # from the right
            if shape[-axis] != 1:
                if result[-axis] not in (1, shape[-axis]):
                    raise ValueError(f"{shapes} cannot be broadcast together")
                result[-axis] = max(result[-axis], shape[-axis])
    return tuple(result)


def unbroadcast(gradient, shape):
    """The gradient for an operand of this shape, from that for the broadcast result."""
    extra = gradient.dim() - len(shape)
    for _ in range(extra):
        gradient = gradient.sum(dim=0)  # dimensions that the operand did not have
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(dim=axis, keepdim=True)  # its one entry was used all along this axis
    return gradient
