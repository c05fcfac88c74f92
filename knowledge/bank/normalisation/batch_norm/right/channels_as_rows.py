import torch


def channel_rows(x):
    """x with the channels as rows: shape (C, everything else)."""
    return x.transpose(0, 1).reshape(x.shape[1], -1)


@torch.no_grad()
def move(average, value, momentum):
    average.mul_(1 - momentum).add_(momentum * value)


def batch_norm(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
    mean, var = running_mean, running_var
    if training:
        rows = channel_rows(x)
        if rows.shape[1] <= 1:
            raise ValueError(f"a channel needs more than one value in training, got input of shape {tuple(x.shape)}")
        mean = rows.mean(1)
        var = (rows - mean[:, None]).square().mean(1)
        move(running_mean, mean, momentum)
        move(running_var, rows.var(1), momentum)

    channels_last = x.movedim(1, -1)
    y = gamma * (channels_last - mean) / (var + eps).sqrt() + beta
    return y.movedim(-1, 1)
