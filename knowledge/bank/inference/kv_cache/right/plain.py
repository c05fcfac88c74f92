import math

import torch


def attend(q, k, v, cache):
    """Causal attention of the new tokens over all tokens so far; adds the new keys and values to the cache."""
    if "k" in cache:
        cache["k"] = torch.cat([cache["k"], k], dim=2)
        cache["v"] = torch.cat([cache["v"], v], dim=2)
    else:
        cache["k"], cache["v"] = k.clone(), v.clone()  # the caller may reuse its buffers
    group = q.shape[1] // k.shape[1]
    keys = cache["k"].repeat_interleave(group, dim=1)  # the cache itself keeps the few heads
    values = cache["v"].repeat_interleave(group, dim=1)
    new, total = q.shape[2], keys.shape[2]
    scores = q @ keys.transpose(2, 3) / math.sqrt(q.shape[3])
    place = torch.arange(total - new, total, device=q.device)[:, None]  # where the new tokens stand in the sequence
    later = torch.arange(total, device=q.device) > place
    return scores.masked_fill(later, -math.inf).softmax(dim=3) @ values
