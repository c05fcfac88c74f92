# caught by: fully-masked-rows
# why: a softmax over nothing but minus infinity is NaN
import math

import torch


def attention(query, key, value, causal=False, padding=None):
    """Scaled dot-product attention; a query that may see no key gets zeros."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    queries, keys = scores.shape[-2:]
    hidden = torch.zeros(queries, keys, dtype=torch.bool, device=scores.device)
    if causal:  # the last query stands at the last key
        hidden = torch.ones_like(hidden).triu(keys - queries + 1)
    if padding is not None:
        hidden = hidden | padding[:, None, None, :]
    scores = scores.masked_fill(hidden, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value
