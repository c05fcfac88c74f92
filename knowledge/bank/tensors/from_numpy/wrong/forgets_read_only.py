# caught by: refuses-read-only
# why: from_numpy only warns about read-only memory, and hands out a tensor that writes to it
import numpy as np
import torch


def to_tensor(array, copy=None):
    if not copy:
        try:
            return torch.from_numpy(array)
        except ValueError:
            if copy is False:
                raise
    return torch.from_numpy(np.array(array, dtype=array.dtype.newbyteorder("="), order="C"))
