import torch


@torch.no_grad()
def adamw_step(parameters, gradients, state, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
    """One step of AdamW: change the parameters in place, and keep in state what the next step needs."""
    beta1, beta2 = betas
    for index, (parameter, gradient) in enumerate(zip(parameters, gradients)):
        if gradient is None:
            continue
        if index not in state:
            state[index] = {"step": 0, "mean": torch.zeros_like(parameter), "square": torch.zeros_like(parameter)}
        own = state[index]
        own["step"] += 1
        own["mean"].mul_(beta1).add_(gradient, alpha=1 - beta1)
        own["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        mean = own["mean"] / (1 - beta1 ** own["step"])  # both averages start at zero: undo that bias
        square = own["square"] / (1 - beta2 ** own["step"])
        parameter.mul_(1 - lr * weight_decay)  # apart from the gradient, so that it is not divided by its size
        parameter.sub_(lr * mean / (square.sqrt() + eps))
