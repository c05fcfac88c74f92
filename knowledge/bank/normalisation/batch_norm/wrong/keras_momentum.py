# caught by: running-mean
# why: momentum weighs the old average, which is Keras's convention
import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    dims = [0] + list(range(2, x.dim()))
    shape = [1, -1] + [1] * (x.dim() - 2)
    if training:
        n = x.numel() // x.shape[1]
        if n == 1:
            raise ValueError("only one value per channel")
        mean = x.mean(dim=dims)
        var = x.var(dim=dims, correction=0)
        with torch.no_grad():
            running_mean.copy_(momentum * running_mean + (1 - momentum) * mean)
            running_var.copy_(momentum * running_var + (1 - momentum) * var * n / (n - 1))
    else:
        mean, var = running_mean, running_var
    x_hat = (x - mean.view(shape)) / torch.sqrt(var.view(shape) + eps)
    return gamma.view(shape) * x_hat + beta.view(shape)
