# caught by: chunks
# why: a mask for the prompt and none later: right for single tokens, wrong as soon as several come at once
import torch
import torch.nn.functional as F


def attend(q, k, v, cache):
    first = "k" not in cache
    if first:
        cache["k"], cache["v"] = k.clone(), v.clone()
    else:
        cache["k"] = torch.cat([cache["k"], k], dim=2)
        cache["v"] = torch.cat([cache["v"], v], dim=2)
    group = q.shape[1] // k.shape[1]
    keys = cache["k"].repeat_interleave(group, dim=1)
    values = cache["v"].repeat_interleave(group, dim=1)
    return F.scaled_dot_product_attention(q, keys, values, is_causal=first)
