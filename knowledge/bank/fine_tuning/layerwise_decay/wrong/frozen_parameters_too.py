# caught by: frozen-base
# why: the frozen parameters are in the optimizer, and move as soon as they have a gradient
import re

from torch import nn


def parameter_groups(model, base_lr, head_lr, decay, weight_decay):
    """One group a parameter, with the learning rate of its place and the weight decay of its kind."""
    places = {name: re.match(r"base\.encoder\.layer\.(\d+)\.", name) for name, _ in model.named_parameters()}
    layers = 1 + max(int(found[1]) for found in places.values() if found)
    norms = {id(p) for module in model.modules() if isinstance(module, nn.LayerNorm) for p in module.parameters()}
    groups = []
    for name, parameter in model.named_parameters():
        if places[name]:
            lr = base_lr * decay ** (layers - 1 - int(places[name][1]))  # the top layer has base_lr itself
        elif name.startswith("base.embeddings."):
            lr = base_lr * decay**layers  # one step below layer 0
        else:
            lr = head_lr
        plain = name.endswith(".bias") or id(parameter) in norms
        groups.append({"params": [parameter], "lr": lr, "weight_decay": 0.0 if plain else weight_decay})
    return groups
