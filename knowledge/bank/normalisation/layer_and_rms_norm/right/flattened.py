import math

import torch


class _Norm(torch.nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        shape = torch.Size([size] if isinstance(size, int) else size)
        self.weight = torch.nn.Parameter(torch.ones(shape))
        self.count, self.eps = math.prod(shape), eps

    def rows(self, x):
        lead = x.shape[: x.dim() - self.weight.dim()]
        wide = x.double() if x.dtype == torch.float64 else x.float()
        return wide.reshape(*lead, self.count)

    def scaled(self, rows, x):
        power = (rows * rows).sum(-1, keepdim=True) / self.count
        return (rows / torch.sqrt(power + self.eps)).reshape(x.shape) * self.weight


class RMSNorm(_Norm):
    def __init__(self, size, eps=1e-6):
        super().__init__(size, eps)

    def forward(self, x):
        return self.scaled(self.rows(x), x).to(x.dtype)


class LayerNorm(_Norm):
    def __init__(self, size, eps=1e-5):
        super().__init__(size, eps)
        self.bias = torch.nn.Parameter(torch.zeros_like(self.weight))

    def forward(self, x):
        rows = self.rows(x)
        rows = rows - rows.sum(-1, keepdim=True) / self.count
        return (self.scaled(rows, x) + self.bias).to(x.dtype)
