# caught by: image-input
# why: it averages over the batch alone, so that every pixel gets a mean of its own
import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    mean_shape = [1] + list(x.shape[1:])
    shape = [1, -1] + [1] * (x.dim() - 2)
    if training:
        n = x.shape[0]
        if n == 1:
            raise ValueError("only one value per channel")
        mean = x.mean(dim=0)
        var = x.var(dim=0, correction=0)
        with torch.no_grad():
            running_mean.copy_((1 - momentum) * running_mean + momentum * mean.reshape(x.shape[1], -1).mean(1))
            running_var.copy_((1 - momentum) * running_var + momentum * var.reshape(x.shape[1], -1).mean(1) * n / (n - 1))
    else:
        mean, var = running_mean.view(shape), running_var.view(shape)
        mean_shape = shape
    x_hat = (x - mean.view(mean_shape)) / torch.sqrt(var.view(mean_shape) + eps)
    return gamma.view(shape) * x_hat + beta.view(shape)
