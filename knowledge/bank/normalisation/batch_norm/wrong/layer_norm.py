# caught by: flat-input
# why: it normalises each example over its own features, which is layer normalisation
import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    dims = list(range(1, x.dim()))
    shape = [1, -1] + [1] * (x.dim() - 2)
    mean = x.mean(dim=dims, keepdim=True)
    var = x.var(dim=dims, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * gamma.view(shape) + beta.view(shape)
