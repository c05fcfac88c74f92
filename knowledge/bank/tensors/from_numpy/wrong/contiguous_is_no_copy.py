# caught by: owns-its-memory
# why: ascontiguousarray hands a contiguous array back as it is, and makes a vector of a number
import numpy as np
import torch


def to_tensor(array, copy=None):
    if copy is False:
        return torch.from_numpy(array)
    return torch.from_numpy(np.ascontiguousarray(array))
