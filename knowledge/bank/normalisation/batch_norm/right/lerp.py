import torch


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    """Normalise each channel of x (dimension 1). In training, also move the running statistics in place."""
    shape = [1, -1] + [1] * (x.dim() - 2)
    if training:
        count = x.numel() // x.shape[1]
        if count < 2:
            raise ValueError("training needs more than one value per channel")
        dims = [d for d in range(x.dim()) if d != 1]
        mean = x.mean(dim=dims)
        var = x.var(dim=dims, correction=0)
        with torch.no_grad():
            running_mean.lerp_(mean.to(running_mean.dtype), momentum)
            running_var.lerp_((var * count / (count - 1)).to(running_var.dtype), momentum)
    else:
        mean, var = running_mean, running_var
    scale = gamma * torch.rsqrt(var + eps)
    return (x - mean.view(shape)) * scale.view(shape) + beta.view(shape)
