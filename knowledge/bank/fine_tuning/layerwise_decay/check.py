"""parameter_groups(model, …): the learning rate and the weight decay that each parameter really gets.

A small BERT-like model is built in the box, its groups are handed to an optimizer whose defaults are absurd, and one
step of SGD with drawn gradients is taken: p - lr · (g + weight_decay · p). What counts is where each parameter arrives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle
from sandbox.toolkit import array, case, expect, expect_close, note, tensor

Floats = npt.NDArray[np.float64]

MODEL = """
nn = torch.nn

class Named(nn.Module):
    def __init__(self, parts):
        super().__init__()
        for name, part in parts.items():
            self.add_module(name, part)

def build(layers, norm, width, tied):
    def block():
        inside = {"query": nn.Linear(width, width), norm: nn.LayerNorm(width)}
        return Named({"attention": Named(inside), "output": nn.Linear(width, width), "after": nn.LayerNorm(width)})
    embeddings = Named({"words": nn.Embedding(4, width), norm: nn.LayerNorm(width)})
    encoder = Named({"layer": nn.ModuleList([block() for _ in range(layers)])})
    base = Named({"embeddings": embeddings, "encoder": encoder, "pooler": nn.Linear(width, width)})
    model = Named({"base": base, "dropout": nn.Dropout(0.1), "classifier": nn.Linear(width, 4)}).double()
    if tied:
        model.classifier.weight = embeddings.words.weight
    for parameter in model.parameters():
        parameter.data.uniform_(0.5, 2.0)
    return model

def names(model): return [name for name, _ in model.named_parameters()]
def parameter(model, name): return dict(model.named_parameters())[name]
def optimizer(groups): return torch.optim.SGD(groups, lr=50.0, weight_decay=3.0)
def trains(parameter): return parameter.requires_grad
def freeze(model, prefix):
    for name, parameter in model.named_parameters():
        if name.startswith(prefix):
            parameter.requires_grad_(False)
"""


class Rates(NamedTuple):
    """What the function is called with, apart from the model."""

    base_lr: float
    head_lr: float
    decay: float
    weight_decay: float


def rate_of(name: str, layers: int, rates: Rates) -> float:
    """The learning rate that the parameter should get."""
    if name.startswith("base.embeddings."):
        return rates.base_lr * rates.decay**layers
    layer = re.match(r"base\.encoder\.layer\.(\d+)\.", name)
    return rates.base_lr * rates.decay ** (layers - 1 - int(layer[1])) if layer else rates.head_lr


class Subject:
    """A model in the box, and the candidate's function."""

    def __init__(self, box: Box, function: Handle, layers: int, norm: str = "LayerNorm", tied: bool = False) -> None:
        self.box, self.function, self.layers, self.norm = box, function, layers, norm
        self.model = box.make(box.define(MODEL, "build"), layers, norm, 3, tied)
        found = box.value(box.make(box.define(MODEL, "names"), self.model))
        assert isinstance(found, list)
        self.names = [str(name) for name in found]
        get = box.define(MODEL, "parameter")
        self.kept = [box.make(get, self.model, name) for name in self.names]

    def freeze(self, prefix: str) -> None:
        """Take the parameters whose names start so out of training."""
        self.box.call(self.box.define(MODEL, "freeze"), self.model, prefix)

    def decays(self, name: str, rates: Rates) -> float:
        """The weight decay that the parameter should get."""
        owner = name.split(".")[-2]
        return 0.0 if name.endswith(".bias") or owner in (self.norm, "after") else rates.weight_decay

    def moves(self, rng: np.random.Generator, rates: Rates, frozen: str = "-", only: str = "") -> None:
        """Take the step, and compare every parameter whose name contains `only`."""
        groups = self.box.make(self.function, self.model, **rates._asdict())
        optimizer = self.box.make(self.box.define(MODEL, "optimizer"), groups)
        before = [np.asarray(array(self.box.value(item)).data, dtype=np.float64) for item in self.kept]
        gradients = [rng.uniform(0.5, 2.0, item.shape) for item in before]
        after = self.box.step(optimizer, self.kept, [tensor(item, "float64") for item in gradients])
        for name, old, gradient, new in zip(self.names, before, gradients, after, strict=True):
            expect(new.dtype == "float64", f"{name} has another dtype than before")
            if name.startswith(frozen):
                expect(np.array_equal(new.data, old), f"{name} is frozen, and was moved")
            elif only in name:
                # (old - new) / gradient would be the rate, if it were not for the decay: both at once, by value.
                step = rate_of(name, self.layers, rates) * (gradient + self.decays(name, rates) * old)
                moved = old - np.asarray(new.data, dtype=np.float64)
                expect_close(moved.tolist(), step, rtol=1e-6, atol=1e-12, what=f"the step of {name}")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    function = box.get(box.load(), "parameter_groups")

    def rates(weight_decay: float = 0.0, decay: float | None = None) -> Rates:
        factor = rng.uniform(0.6, 0.9) if decay is None else decay
        return Rates(rng.uniform(0.01, 0.03), rng.uniform(0.1, 0.3), factor, weight_decay)

    def documented() -> None:
        note("layers", 3)
        note("base_lr, head_lr, decay", (1e-3, 1e-2, 0.5))
        Subject(box, function, 3).moves(rng, Rates(1e-3, 1e-2, 0.5, 0.1))

    def layers() -> None:
        for count in (int(rng.integers(4, 8)), 1):
            Subject(box, function, count).moves(rng, rates(), only="encoder.layer")

    def many_layers() -> None:
        Subject(box, function, int(rng.integers(11, 14))).moves(rng, rates(), only="encoder.layer")

    def embeddings() -> None:
        for count in (int(rng.integers(2, 6)), 1):
            Subject(box, function, count).moves(rng, rates(), only="embeddings")

    def head() -> None:
        for only in ("classifier", "pooler"):
            Subject(box, function, int(rng.integers(2, 6))).moves(rng, rates(), only=only)

    def no_layerwise_decay() -> None:
        Subject(box, function, 4).moves(rng, rates(decay=1.0))

    def weights_decay() -> None:
        subject = Subject(box, function, int(rng.integers(2, 5)))
        for only in ("query.weight", "output.weight", "words.weight", "pooler.weight", "classifier.weight"):
            subject.moves(rng, rates(rng.uniform(0.2, 0.5)), only=only)

    def biases() -> None:
        Subject(box, function, int(rng.integers(2, 5))).moves(rng, rates(rng.uniform(0.2, 0.5)), only=".bias")

    def norms() -> None:
        for norm in ("LayerNorm", "norm1", "ln"):
            subject = Subject(box, function, int(rng.integers(2, 4)), norm)
            subject.moves(rng, rates(rng.uniform(0.2, 0.5)), only=f"{norm}.weight")
            subject.moves(rng, rates(rng.uniform(0.2, 0.5)), only="after.weight")

    def frozen_base() -> None:
        subject = Subject(box, function, int(rng.integers(2, 5)))
        subject.freeze("base.")
        subject.moves(rng, rates(), frozen="base.")

    def partly_frozen() -> None:
        for prefix in ("base.embeddings.", "base.encoder.layer.0.", "base.encoder.layer.3."):
            subject = Subject(box, function, 4)  # layer 3 is the top one: the count is that of the model
            subject.freeze(prefix)
            subject.moves(rng, rates(), frozen=prefix)

    def flags() -> None:
        subject = Subject(box, function, 2)
        subject.freeze("base.embeddings.")
        subject.moves(rng, rates(), frozen="base.embeddings.")
        trains = box.define(MODEL, "trains")
        for name, item in zip(subject.names, subject.kept, strict=True):
            wanted = not name.startswith("base.embeddings.")
            expect(box.call(trains, item) is wanted, f"requires_grad of {name} was changed")

    def tied() -> None:
        Subject(box, function, int(rng.integers(2, 5)), tied=True).moves(rng, rates(rng.uniform(0.2, 0.5)))

    yield case("documented-example", "the documented example, each parameter", documented, visible=True)
    yield case("layer-rates", "the learning rates of the layers", layers)
    yield case("many-layers", "a model with more than ten layers", many_layers)
    yield case("embeddings-rate", "the learning rate of the embeddings", embeddings)
    yield case("head-rate", "the learning rate of classifier and pooler", head)
    yield case("decay-of-one", "no difference between the layers where decay is 1", no_layerwise_decay)
    yield case("weights-decay", "weight decay on the weights", weights_decay)
    yield case("biases-do-not-decay", "no weight decay on biases", biases)
    yield case("norms-do-not-decay", "no weight decay on layer norms, whatever they are called", norms)
    yield case("frozen-base", "a frozen base", frozen_base)
    yield case("partly-frozen", "single layers that are frozen", partly_frozen)
    yield case("flags-untouched", "that requires_grad is left as it was", flags)
    yield case("tied-weights", "a weight that is used twice", tied)
