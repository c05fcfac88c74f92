# caught by: separate-caches
# why: keys and values are kept in a global, so that two sequences get mixed up
import math

import torch

STORE = {}


def attend(q, k, v, cache):
    if cache and STORE:
        STORE["k"] = torch.cat([STORE["k"], k], dim=2)
        STORE["v"] = torch.cat([STORE["v"], v], dim=2)
    else:
        STORE["k"], STORE["v"] = k.clone(), v.clone()
    cache.update(STORE)
    group = q.shape[1] // k.shape[1]
    keys = STORE["k"].repeat_interleave(group, dim=1)
    values = STORE["v"].repeat_interleave(group, dim=1)
    new, total = q.shape[2], keys.shape[2]
    scores = q @ keys.transpose(2, 3) / math.sqrt(q.shape[3])
    later = torch.ones(new, total, dtype=torch.bool).triu(total - new + 1)
    return scores.masked_fill(later, -math.inf).softmax(dim=3) @ values
