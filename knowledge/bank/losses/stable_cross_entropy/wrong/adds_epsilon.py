# caught by: confident
# why: a small number under the logarithm keeps it finite, and limits the loss and its gradient
import torch


def cross_entropy(logits, targets, ignore_index=-100):
    """The mean cross-entropy of the rows whose target is not ignore_index; 0 if there are none."""
    counted = targets != ignore_index
    logits, targets = logits[counted], targets[counted]
    if len(targets) == 0:
        return logits.sum()  # 0, and still part of the graph
    if targets.min() < 0 or targets.max() >= logits.shape[1]:
        raise IndexError("a target is no class")
    probabilities = logits.softmax(dim=1)
    return -(probabilities.gather(1, targets[:, None])[:, 0] + 1e-8).log().mean()
