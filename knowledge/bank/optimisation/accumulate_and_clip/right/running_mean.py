import torch


def train_step(model, loss_fn, batches, optimizer, max_norm):
    parameters = [item for group in optimizer.param_groups for item in group["params"] if item.requires_grad]
    mean, loss, seen = {}, 0.0, 0
    for x, y in batches:
        count = x.shape[0]
        value = loss_fn(model(x), y)
        share = count / (seen + count)  # a running mean, so that nothing has to be divided in the end
        for index, new in enumerate(torch.autograd.grad(value, parameters, allow_unused=True)):
            if new is not None:
                mean[index] = torch.lerp(mean.get(index, torch.zeros_like(new)), new, share)
        loss += share * (float(value) - loss)
        seen += count
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(item) for item in mean.values()]))
    for index, parameter in enumerate(parameters):
        parameter.grad = mean[index] * torch.clamp(max_norm / norm, max=1.0) if index in mean else None
    if torch.isfinite(norm):
        optimizer.step()
    model.zero_grad()
    return loss, float(norm)
