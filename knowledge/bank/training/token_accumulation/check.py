"""Checks train_epoch(model, optimizer, batches, accumulate): a group's step is that of its mean loss per real token.

Values are compared with SGD with momentum on a table of logits, computed in numpy in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, kind, note, tensor

SETUP = """
class Table(torch.nn.Module):
    def __init__(self, table, bias):
        super().__init__()
        self.table = torch.nn.Parameter(table.clone())
        self.bias = torch.nn.Parameter(bias.clone())

    def forward(self, ids):
        return self.table[ids] + self.bias


def model(table, bias):
    return Table(table, bias)


def sgd(model, rate, momentum):
    return torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate, momentum=momentum)


def stream(batches):
    yield from batches


def leave_gradients(model, value):
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, value)
"""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Batch = tuple[Ints, Ints]
IGNORED = -100


class Training:
    """The candidate's function with a model and an optimizer in the box, and the reference beside them."""

    def __init__(self, box: Box, rng: np.random.Generator, words: int = 5, classes: int = 4) -> None:
        self.box, self.rng, self.words, self.classes = box, rng, words, classes
        self.train = box.get(box.load(), "train_epoch")
        self.table = rng.normal(size=(words, classes)).astype(np.float32).astype(np.float64)
        self.bias = rng.normal(size=classes).astype(np.float32).astype(np.float64)
        self.rate, self.momentum = float(rng.uniform(0.3, 0.8)), float(rng.uniform(0.3, 0.8))
        self.frozen = False
        self.speeds = [np.zeros_like(self.table), np.zeros_like(self.bias)]
        self.model: Handle | None = None
        self.optimizer: Handle | None = None

    def start(self) -> None:
        """Make model and optimizer in the box."""
        self.model = self.box.make(self.box.define(SETUP, "model"), tensor(self.table), tensor(self.bias))
        if self.frozen:
            self.box.method(self.box.get(self.model, "table"), "requires_grad_", False)
        self.optimizer = self.box.make(self.box.define(SETUP, "sgd"), self.model, self.rate, self.momentum)

    def batch(self, lengths: Sequence[int]) -> Batch:
        """A micro-batch of sequences of these lengths, with ignored targets behind the end of each."""
        longest = max(lengths)
        ids = self.rng.integers(0, self.words, (len(lengths), longest))
        # Targets differ in kind from batch to batch, so that the weighting of batches shows.
        targets = np.where(self.rng.random(ids.shape) < 0.7, self.rng.integers(self.classes), (ids + 1) % self.classes)
        targets[np.arange(longest) >= np.array(lengths).reshape(-1, 1)] = IGNORED
        return ids, targets

    def expected(self, batches: Sequence[Batch], accumulate: int) -> list[float]:
        """Follow one epoch in float64; the loss of each step."""
        losses: list[float] = []
        for start in range(0, len(batches), accumulate):
            group = batches[start : start + accumulate]
            ids, targets = (np.concatenate([part.ravel() for part in parts]) for parts in zip(*group, strict=True))
            ids, targets = ids[targets != IGNORED], targets[targets != IGNORED]
            if not len(ids):
                continue
            logits = self.table[ids] + self.bias
            logits -= logits.max(axis=1, keepdims=True)
            shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
            losses.append(float(-np.log(shares[np.arange(len(ids)), targets]).mean()))
            shares[np.arange(len(ids)), targets] -= 1
            slopes = [np.zeros_like(self.table), shares.mean(axis=0)]
            np.add.at(slopes[0], ids, shares / len(ids))
            self.speeds = [self.momentum * speed + slope for speed, slope in zip(self.speeds, slopes, strict=True)]
            if not self.frozen:
                self.table = self.table - self.rate * self.speeds[0]
            self.bias = self.bias - self.rate * self.speeds[1]
        return losses

    def epoch(self, batches: Sequence[Batch], accumulate: int, stream: bool = False) -> None:
        """One epoch on both sides, and compare losses and parameters."""
        if self.model is None:
            self.start()
        sent: Value = [(tensor(ids, "int64"), tensor(targets, "int64")) for ids, targets in batches]
        given = self.box.make(self.box.define(SETUP, "stream"), sent) if stream else sent
        found = self.box.call(self.train, self.model, self.optimizer, given, accumulate)
        expected = self.expected(batches, accumulate)
        for name, values in (("table", self.table), ("bias", self.bias)):
            assert self.model is not None
            expect_close(
                array(self.box.value(self.box.get(self.model, name))), values, dtype="float32", what=f"the {name}"
            )
        expect(isinstance(found, list), f"the losses should be a list, and are {kind(found)}")
        assert isinstance(found, list)
        expect(all(isinstance(item, float) for item in found), "the losses should be Python floats")
        expect(len(found) == len(expected), f"there are {len(found)} losses, which is not the number of steps")
        expect_close(found, np.array(expected), what="the losses")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""

    def documented() -> None:
        note("targets", "[0, 0, 0] and [1, ignored, ignored]")
        note("model, rate", "two logits b = [0, 0], the same for each token; 1.0")
        training = Training(box, rng, 1, 2)
        training.table, training.bias = np.zeros((1, 2)), np.zeros(2)
        training.rate, training.momentum, training.frozen = 1.0, 0.0, True
        ids = np.zeros((1, 3), dtype=np.int64)
        training.epoch([(ids, np.array([[0, 0, 0]])), (ids, np.array([[1, IGNORED, IGNORED]]))], 2)
        note("b should be", [0.25, -0.25])

    def equal() -> None:
        training = Training(box, rng)
        training.epoch([training.batch([3, 3]) for _ in range(6)], 2)

    def unequal() -> None:
        training = Training(box, rng)
        training.epoch([training.batch(lengths) for lengths in ([9, 8], [1], [2, 1], [12], [1, 1, 1], [7])], 3)

    def last_group() -> None:
        for count in (4, 5, 2):
            training = Training(box, rng)
            training.epoch([training.batch([3, 2]) for _ in range(count)], 3)

    def single() -> None:
        training = Training(box, rng)
        training.epoch([training.batch([4, 1]) for _ in range(3)], 1)

    def leftover() -> None:
        training = Training(box, rng)
        training.start()
        box.call(box.define(SETUP, "leave_gradients"), training.model, float(rng.uniform(1.0, 3.0)))
        training.epoch([training.batch([3, 2]) for _ in range(4)], 2)

    def second_epoch() -> None:
        training = Training(box, rng)
        for _ in range(2):
            training.epoch([training.batch([3, 2]) for _ in range(5)], 2)

    def nothing_real() -> None:
        training = Training(box, rng)
        batches = [training.batch([3, 2]) for _ in range(4)]
        batches[1][1][:] = IGNORED
        batches[2][1][:] = IGNORED
        training.epoch(batches, 2)

    def empty_group() -> None:
        training = Training(box, rng)
        batches = [training.batch([3, 2]) for _ in range(7)]
        for index in (2, 3, 6):
            batches[index][1][:] = IGNORED
        training.epoch(batches, 2)

    def stream() -> None:
        training = Training(box, rng)
        training.epoch([training.batch([3, 2]) for _ in range(5)], 2, stream=True)

    def frozen() -> None:
        training = Training(box, rng)
        training.frozen = True
        training.epoch([training.batch([3, 1]), training.batch([5])], 2)

    def none() -> None:
        Training(box, rng).epoch([], 2)

    yield case("documented-example", "the example of the question", documented, visible=True)
    yield case("equal-batches", "full groups of micro-batches of equal size", equal)
    yield case("unequal-tokens", "micro-batches with different numbers of real tokens", unequal)
    yield case("last-group", "a last group that is smaller", last_group)
    yield case("groups-of-one", "a step for each micro-batch", single)
    yield case("leftover-gradient", "gradients that were there before the call", leftover)
    yield case("second-epoch", "two epochs in a row", second_epoch)
    yield case("nothing-real", "micro-batches without a real token", nothing_real)
    yield case("empty-group", "whole groups without a real token", empty_group)
    yield case("stream", "micro-batches from a generator", stream)
    yield case("frozen", "a model with a frozen parameter", frozen)
    yield case("no-batches", "no micro-batches at all", none)
