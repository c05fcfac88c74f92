# caught by: token-by-token
# why: is_causal aligns the mask at the top left, so that a new token sees only the oldest ones
import torch
import torch.nn.functional as F


def attend(q, k, v, cache):
    if "k" in cache:
        cache["k"] = torch.cat([cache["k"], k], dim=2)
        cache["v"] = torch.cat([cache["v"], v], dim=2)
    else:
        cache["k"], cache["v"] = k.clone(), v.clone()
    group = q.shape[1] // k.shape[1]
    keys = cache["k"].repeat_interleave(group, dim=1)
    values = cache["v"].repeat_interleave(group, dim=1)
    return F.scaled_dot_product_attention(q, keys, values, is_causal=True)
