import torch

LOW, HIGH = -128, 127


def qparams(x, axis=None):
    dims = [d for d in range(x.dim()) if axis is None or d != axis % x.dim()]
    zero = x.new_zeros(())
    low = torch.minimum(torch.amin(x, dim=dims) if dims else x, zero)
    high = torch.maximum(torch.amax(x, dim=dims) if dims else x, zero)
    scale = (high - low).div(HIGH - LOW)
    scale = scale.masked_fill(scale == 0, 1.0)
    return scale, (LOW - low / scale).round().int()


def quantise(x, scale, zero_point, axis=None):
    if axis is not None:
        return quantise(x.movedim(axis, -1), scale, zero_point).movedim(-1, axis)
    q = x.double() / scale + zero_point
    return torch.clamp(q.round(), LOW, HIGH).to(torch.int8)


def dequantise(q, scale, zero_point, axis=None):
    if axis is not None:
        return dequantise(q.movedim(axis, -1), scale, zero_point).movedim(-1, axis)
    return (q.float() - zero_point) * scale
