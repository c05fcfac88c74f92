# caught by: last-group
# why: the last group is divided by the full number of micro-batches
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
        optimizer.zero_grad()
        total = 0.0
        for ids, targets in group:
            logits = model(ids).flatten(0, 1)
            scale = tokens * accumulate / len(group)
            loss = F.cross_entropy(logits, targets.flatten(), ignore_index=-100, reduction="sum") / scale
            loss.backward()  # one graph at a time
            total += loss.item()
        optimizer.step()
        losses.append(total)
    return losses
