import itertools

import torch


def result_shape(*shapes):
    columns = itertools.zip_longest(*[tuple(shape)[::-1] for shape in shapes], fillvalue=1)
    result = []
    for column in columns:
        sizes = set(column) - {1}
        if len(sizes) > 1:
            raise ValueError(f"sizes {sorted(sizes)} meet in one dimension")
        result.append(sizes.pop() if sizes else 1)
    return tuple(reversed(result))


def unbroadcast(gradient, shape):
    wide = (1,) * (gradient.ndim - len(shape)) + tuple(shape)
    axes = [axis for axis, (was, now) in enumerate(zip(wide, gradient.shape)) if was != now]
    return gradient.sum(axes, keepdim=True).reshape(shape) if axes else gradient.reshape(shape)
