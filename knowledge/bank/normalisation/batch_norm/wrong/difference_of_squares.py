# caught by: large-mean
# why: E[x²] − E[x]² cancels where the mean is large against the spread
import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    dims = [0] + list(range(2, x.dim()))
    shape = [1, -1] + [1] * (x.dim() - 2)
    if training:
        n = x.numel() // x.shape[1]
        if n == 1:
            raise ValueError("only one value per channel")
        mean = x.mean(dim=dims)
        var = (x * x).mean(dim=dims) - mean * mean
        with torch.no_grad():
            running_mean.copy_((1 - momentum) * running_mean + momentum * mean)
            running_var.copy_((1 - momentum) * running_var + momentum * var * n / (n - 1))
    else:
        mean, var = running_mean, running_var
    x_hat = (x - mean.view(shape)) / torch.sqrt(var.view(shape) + eps)
    return gamma.view(shape) * x_hat + beta.view(shape)
