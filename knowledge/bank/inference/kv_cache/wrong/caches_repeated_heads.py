# caught by: cache-contents
# why: it caches the keys and values after repeating their heads, which wastes what grouped heads save
import math

import torch


def attend(q, k, v, cache):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    if "k" in cache:
        k, v = torch.cat([cache["k"], k], dim=2), torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k.clone(), v.clone()
    new, total = q.shape[2], k.shape[2]
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
    later = torch.ones(new, total, dtype=torch.bool).triu(total - new + 1)
    return scores.masked_fill(later, -math.inf).softmax(dim=3) @ v
