# caught by: saturation
# why: Without a clamp the cast to int8 wraps around: 200 becomes -56.
import torch


def qparams(x, axis=None):
    """Scale (float32) and zero point (int32) of x: without dimensions, or of shape (C,) for an axis."""
    if axis is None:
        low, high = x.min(), x.max()
    else:
        rows = x.transpose(0, axis).reshape(x.shape[axis], -1)
        low, high = rows.min(dim=1).values, rows.max(dim=1).values
    low, high = low.clamp(max=0), high.clamp(min=0)  # the range contains 0, so that 0 is exact
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
    return steps.to(torch.int32).to(torch.int8)


def dequantise(q, scale, zero_point, axis=None):
    """The float32 numbers that q stands for."""
    steps = q.to(torch.int32) - _spread(zero_point, q, axis)  # int8 would overflow
    return steps * _spread(scale, q, axis)
