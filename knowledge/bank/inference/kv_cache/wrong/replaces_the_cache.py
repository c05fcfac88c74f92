# caught by: token-by-token
# why: each call overwrites the cache, so that only the latest tokens are remembered
import math

import torch


def attend(q, k, v, cache):
    cache["k"], cache["v"] = k.clone(), v.clone()
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    new, total = q.shape[2], keys.shape[2]
    scores = q @ keys.transpose(2, 3) / math.sqrt(q.shape[3])
    later = torch.ones(new, total, dtype=torch.bool).triu(total - new + 1)
    return scores.masked_fill(later, -math.inf).softmax(dim=3) @ values
