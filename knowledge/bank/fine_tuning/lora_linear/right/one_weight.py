import math

import torch
import torch.nn.functional as F


class LoRALinear(torch.nn.Module):
    def __init__(self, base, rank, alpha):
        torch.nn.Module.__init__(self)
        self.base = base
        for parameter in base.parameters():
            parameter.requires_grad = False
        outputs, inputs = base.weight.shape
        self.lora_a = torch.nn.Parameter(base.weight.new_empty((rank, inputs)))
        self.lora_b = torch.nn.Parameter(base.weight.new_zeros((outputs, rank)))
        torch.nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))
        self.alpha, self.rank, self.folded = alpha, rank, False

    def update(self):
        return torch.matmul(self.lora_b, self.lora_a) * (self.alpha / self.rank)

    def forward(self, x):
        if self.folded:
            weight = self.base.weight
        else:
            weight = torch.add(self.base.weight, self.update())
        return F.linear(x, weight, self.base.bias)

    def _fold(self, wanted):
        if wanted != self.folded:
            with torch.no_grad():
                self.base.weight.add_(self.update(), alpha=1 if wanted else -1)
            self.folded = wanted

    def merge(self):
        self._fold(True)

    def unmerge(self):
        self._fold(False)
