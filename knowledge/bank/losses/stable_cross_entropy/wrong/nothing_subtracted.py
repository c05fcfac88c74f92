# caught by: large-logits
# why: the exponential overflows
import torch


def cross_entropy(logits, targets, ignore_index=-100):
    """The mean cross-entropy of the rows whose target is not ignore_index; 0 if there are none."""
    counted = targets != ignore_index
    logits, targets = logits[counted], targets[counted]
    if len(targets) == 0:
        return logits.sum()  # 0, and still part of the graph
    if targets.min() < 0 or targets.max() >= logits.shape[1]:
        raise IndexError("a target is no class")
    top = torch.zeros(())
    shifted = logits - top
    log_total = shifted.exp().sum(dim=1).log()
    return (log_total - shifted.gather(1, targets[:, None])[:, 0]).mean()
