# caught by: documented-example
# why: It returns 0 for every function, which is right only where f ignores x.
import torch


def grad_at(f, x):
    return torch.zeros(())
