# caught by: merged
# why: adds the update in forward although it is merged
import torch
from torch import nn


class LoRALinear(nn.Module):
    """A frozen nn.Linear and a trained update of low rank beside it."""

    def __init__(self, base, rank, alpha):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = alpha / rank
        self.merged = False
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features, **like) / rank)
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank, **like))  # so that nothing changes at first

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.lora_a.T @ self.lora_b.T)

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.base.weight += self.scale * (self.lora_b @ self.lora_a)
            self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight -= self.scale * (self.lora_b @ self.lora_a)
            self.merged = False
