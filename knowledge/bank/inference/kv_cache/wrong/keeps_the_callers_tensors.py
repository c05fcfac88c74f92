# caught by: buffers-reused
# why: the first call stores the caller's own tensors, which are overwritten later
import math

import torch


def attend(q, k, v, cache):
    if "k" in cache:
        cache["k"] = torch.cat([cache["k"], k], dim=2)
        cache["v"] = torch.cat([cache["v"], v], dim=2)
    else:
        cache["k"], cache["v"] = k, v
    group = q.shape[1] // k.shape[1]
    keys = cache["k"].repeat_interleave(group, dim=1)
    values = cache["v"].repeat_interleave(group, dim=1)
    new, total = q.shape[2], keys.shape[2]
    scores = q @ keys.transpose(2, 3) / math.sqrt(q.shape[3])
    later = torch.ones(new, total, dtype=torch.bool).triu(total - new + 1)
    return scores.masked_fill(later, -math.inf).softmax(dim=3) @ values
