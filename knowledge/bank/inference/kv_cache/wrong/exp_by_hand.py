# caught by: large-scores
# why: the exponential of a large score overflows; the maximum has to be taken off first
import math

import torch


def attend(q, k, v, cache):
    if "k" in cache:
        cache["k"] = torch.cat([cache["k"], k], dim=2)
        cache["v"] = torch.cat([cache["v"], v], dim=2)
    else:
        cache["k"], cache["v"] = k.clone(), v.clone()
    group = q.shape[1] // k.shape[1]
    keys = cache["k"].repeat_interleave(group, dim=1)
    values = cache["v"].repeat_interleave(group, dim=1)
    new, total = q.shape[2], keys.shape[2]
    weights = (q @ keys.transpose(2, 3) / math.sqrt(q.shape[3])).exp()
    weights = weights * torch.ones(new, total, dtype=q.dtype).tril(total - new)
    return weights / weights.sum(dim=3, keepdim=True) @ values
