# caught by: flat-input
# why: scale and shift alone, without any normalisation
import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    shape = [1, -1] + [1] * (x.dim() - 2)
    return x * gamma.view(shape) + beta.view(shape)
