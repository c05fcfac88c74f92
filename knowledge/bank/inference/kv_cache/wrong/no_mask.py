# caught by: prefill
# why: without a mask the tokens of a prompt see those that come after them
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
    scores = q @ keys.transpose(2, 3) / math.sqrt(q.shape[3])
    return scores.softmax(dim=3) @ values
