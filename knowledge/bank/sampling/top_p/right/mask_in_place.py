import torch
import torch.nn.functional as F


def next_token_probabilities(logits, temperature=1.0, top_k=0, top_p=1.0):
    if temperature == 0.0:
        return F.one_hot(torch.argmax(logits, -1), logits.size(-1)).to(logits.dtype)
    order = torch.argsort(logits, dim=-1, descending=True, stable=True)
    rank = torch.argsort(order, dim=-1)
    scaled = logits / temperature
    if top_k:
        scaled = torch.where(rank < top_k, scaled, -torch.inf)
    if top_p < 1.0:
        shares = torch.softmax(scaled, -1).gather(-1, order)
        ahead = F.pad(shares[..., :-1].cumsum(-1), (1, 0))
        size = torch.count_nonzero(ahead < top_p, dim=-1).clamp(min=1)
        scaled = torch.where(rank < size.unsqueeze(-1), scaled, -torch.inf)
    return torch.softmax(scaled, -1)
