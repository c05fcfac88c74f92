# caught by: flat-input
# why: the mean of the right answer everywhere
import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    return torch.zeros_like(x)
