import torch


def _log_probabilities(x):
    peak, _ = torch.max(x, dim=-1, keepdim=True)
    x = x - peak
    return x - torch.log(torch.sum(torch.exp(x), dim=-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-100):
    keep = torch.ne(targets, ignore_index)
    classes = logits.size(-1)
    if bool(((targets < 0) | (targets >= classes)).logical_and(keep).any()):
        raise ValueError("target out of range")
    safe = torch.where(keep[:, None], logits, torch.zeros((), dtype=logits.dtype, device=logits.device))
    chosen = torch.where(keep, targets, torch.zeros_like(targets))
    if safe.numel() == 0:
        return safe.sum()
    losses = -_log_probabilities(safe)[torch.arange(len(chosen), device=chosen.device), chosen]
    return torch.where(keep, losses, 0.0).sum() / keep.sum().clamp(min=1)
