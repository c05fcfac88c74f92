# caught by: detached-part
# why: Small steps approximate the slope of the values; what f detaches is then not a constant.
import torch


def grad_at(f, x, h=1e-5):
    x = torch.as_tensor(x).detach().double()
    with torch.no_grad():
        return ((f(x + h) - f(x - h)) / (2 * h)).item()
