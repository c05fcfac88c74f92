# caught by: values
# why: torch.Tensor(array) makes a float32 tensor of everything
import torch


def to_tensor(array, copy=None):
    result = torch.Tensor(array)
    return result.clone() if copy else result
