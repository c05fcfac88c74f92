import torch


def parameter_groups(model, base_lr, head_lr, decay, weight_decay):
    stack = [model.base.embeddings, *model.base.encoder.layer]
    seen, groups = set(), []

    def take(module, lr):
        decayed, plain = [], []
        for part in module.modules():
            for name, p in part.named_parameters(recurse=False):
                if not p.requires_grad or p in seen:
                    continue
                seen.add(p)
                exempt = name == "bias" or isinstance(part, torch.nn.LayerNorm)
                (plain if exempt else decayed).append(p)
        groups.append({"params": decayed, "lr": lr, "weight_decay": weight_decay})
        groups.append({"params": plain, "lr": lr, "weight_decay": 0.0})

    for distance, module in enumerate(reversed(stack)):
        take(module, base_lr * decay**distance)
    take(model, head_lr)
    return [group for group in groups if group["params"]]
