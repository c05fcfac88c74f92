# caught by: array-untouched
# why: it makes the caller's read-only array writeable in order to share it
import numpy as np
import torch


def to_tensor(array, copy=None):
    if copy is not True:
        try:
            array.flags.writeable = True
            return torch.from_numpy(array)
        except ValueError:
            if copy is False:
                raise
    return torch.from_numpy(np.array(array, dtype=array.dtype.newbyteorder("="), order="C"))
