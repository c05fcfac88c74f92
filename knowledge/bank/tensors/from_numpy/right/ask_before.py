import numpy as np
import torch


def to_tensor(array, copy=None):
    """The array as a tensor of the same dtype: a view of its memory, a copy, or a view where that can be had."""
    shareable = (
        array.flags.writeable
        and array.dtype.isnative
        and all(stride >= 0 and stride % array.itemsize == 0 for stride in array.strides)
    )
    if copy is False and not shareable:
        raise ValueError("this array's memory cannot be shared with a tensor")
    if copy or not shareable:
        array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
