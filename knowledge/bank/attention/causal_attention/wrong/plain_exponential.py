# caught by: large-scores
# why: the exponential overflows, since nothing was subtracted
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
    grown = scores.exp().masked_fill(hidden, 0.0)
    weights = grown / grown.sum(dim=-1, keepdim=True).clamp(min=1e-30)
    return weights @ value
