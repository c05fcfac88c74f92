# caught by: shares-memory
# why: torch.tensor copies, so nothing is ever shared
import torch


def to_tensor(array, copy=None):
    return torch.tensor(array)
