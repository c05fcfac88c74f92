import torch
import torch.nn.functional as F


class Stack(torch.nn.Module):
    def __init__(self, width, depth):
        torch.nn.Module.__init__(self)
        self.layers = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(depth)])
        self.register_parameter("scale", torch.nn.Parameter(torch.ones(width)))
        self.mean = torch.nn.Buffer(torch.zeros(width))

    def forward(self, x):
        if self.training:
            self.mean.mul_(0.9).add_(0.1 * x.detach().mean(0))
        h = x - self.mean
        *hidden, last = self.layers
        for layer in hidden:
            h = F.relu(layer(h))
        return last(h) * self.scale
