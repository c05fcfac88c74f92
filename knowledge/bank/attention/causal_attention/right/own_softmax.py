import torch


def attention(query, key, value, causal=False, padding=None):
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("bhqd,bhkd->bhqk", query * scale, key)
    n_query, n_key = scores.shape[-2:]
    allowed = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
    if causal:
        rows = torch.arange(n_query, device=scores.device)[:, None] + (n_key - n_query)
        allowed &= torch.arange(n_key, device=scores.device)[None, :] <= rows
    if padding is not None:
        allowed &= torch.logical_not(padding).reshape(-1, 1, 1, n_key)
    scores = torch.where(allowed, scores, -torch.inf)
    top = scores.detach().amax(dim=-1, keepdim=True)
    top = torch.where(torch.isinf(top), 0.0, top)  # no key at all
    grown = torch.exp(scores - top)
    total = grown.sum(dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkv->bhqv", grown / torch.where(total == 0, 1.0, total), value)
