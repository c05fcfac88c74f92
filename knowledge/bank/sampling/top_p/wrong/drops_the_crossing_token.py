# caught by: top-p
# why: the token that crosses the bound is dropped, so that less than top_p is left
import torch


def next_token_probabilities(logits, temperature=1.0, top_k=0, top_p=1.0):
    """The probabilities that the next token is drawn from; ruled-out tokens have exactly 0."""
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    values, order = (logits / temperature).sort(dim=-1, descending=True, stable=True)
    if top_k:
        values[..., top_k:] = float("-inf")
    if top_p < 1:
        probabilities = values.softmax(dim=-1)
        drop = probabilities.cumsum(dim=-1) > top_p
        drop[..., 0] = False  # the best one always stays
        values = values.masked_fill(drop, float("-inf"))
    return torch.zeros_like(values).scatter(-1, order, values.softmax(dim=-1))
