# caught by: owns-its-memory
# why: from_numpy whatever was asked for: a later write to the array changes the tensor
import torch


def to_tensor(array, copy=None):
    return torch.from_numpy(array)
