# caught by: one-sided
# why: The range is only that of the numbers, so 0 lies outside of it.
import torch


def qparams(x, axis=None):
    """Scale (float32) and zero point (int32) of x: without dimensions, or of shape (C,) for an axis."""
    if axis is None:
        low, high = x.min(), x.max()
    else:
        rows = x.transpose(0, axis).reshape(x.shape[axis], -1)
        low, high = rows.min(dim=1).values, rows.max(dim=1).values
    scale = (high - low) / 255
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    zero_point = torch.round(-128 - low / scale).clamp(-128, 127).to(torch.int32)
    return scale, zero_point


def _spread(values, x, axis):
    if axis is None:
        return values
    shape = [1] * x.dim()
    shape[axis] = -1
    return values.reshape(shape)


def quantise(x, scale, zero_point, axis=None):
    """x as int8."""
    steps = torch.round(x / _spread(scale, x, axis)) + _spread(zero_point, x, axis)
    return steps.clamp(-128, 127).to(torch.int8)  # saturate first: the cast would wrap around


def dequantise(q, scale, zero_point, axis=None):
    """The float32 numbers that q stands for."""
    steps = q.to(torch.int32) - _spread(zero_point, q, axis)  # int8 would overflow
    return steps * _spread(scale, q, axis)
