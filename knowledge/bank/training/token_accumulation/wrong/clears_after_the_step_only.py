# caught by: leftover-gradient
# why: what was in the gradients before the call gets into the first step
from itertools import islice

import torch
import torch.nn.functional as F


def train_epoch(model, optimizer, batches, accumulate):
    """One optimizer step for each group of `accumulate` micro-batches; the mean loss per token of each step."""
    losses = []
    stream = iter(batches)
    while group := list(islice(stream, accumulate)):
        tokens = sum(int((targets != -100).sum()) for _, targets in group)
        if tokens == 0:
            continue

        total = 0.0
        for ids, targets in group:
            logits = model(ids).flatten(0, 1)
            loss = F.cross_entropy(logits, targets.flatten(), ignore_index=-100, reduction="sum") / tokens
            loss.backward()  # one graph at a time
            total += loss.item()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(total)
    return losses
