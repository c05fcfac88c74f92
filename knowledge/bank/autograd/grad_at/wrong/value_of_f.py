# caught by: documented-example
# why: It returns f(x), the value of the function, not its derivative.
import torch


def grad_at(f, x):
    x = torch.as_tensor(x, dtype=torch.float32).detach().requires_grad_(True)
    y = f(x)
    if y.requires_grad:
        y.backward()
    return y.detach()
