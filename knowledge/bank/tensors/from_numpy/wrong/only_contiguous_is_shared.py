# caught by: shares-views
# why: it copies or refuses whatever is not contiguous, though a tensor has strides as well
import numpy as np
import torch


def to_tensor(array, copy=None):
    shareable = array.flags.c_contiguous and array.flags.writeable and array.dtype.isnative
    if copy is False and not shareable:
        raise ValueError("not contiguous")
    if copy or not shareable:
        array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)
