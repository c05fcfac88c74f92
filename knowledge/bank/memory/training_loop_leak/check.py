"""Checks train_epoch(model, loss_fn, optimizer, batches), whose memory must not grow with the number of batches.

Values are compared with SGD with momentum on a linear model, computed in numpy in float64. Whether graphs are let go is
seen by values, too: the model puts a mark on the graph of every forward pass, and in one case whatever is still alive
when the next pass begins, beyond the pass before it, is added to the output, as is all that outlives the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, kind, note, tensor

Floats = npt.NDArray[np.float64]
Batch = tuple[Floats, Floats]

SETUP = """
import gc
import weakref


class Mark:
    pass


class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, marks):
        ctx.mark = Mark()
        marks.append(weakref.ref(ctx.mark))
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Linear(torch.nn.Module):
    def __init__(self, weight, bias, spared):
        super().__init__()
        self.weight = torch.nn.Parameter(weight.clone())
        self.bias = torch.nn.Parameter(bias.clone())
        self.marks = []
        self.spared = spared  # how many graphs may be alive when a pass begins

    def held(self):
        gc.collect()
        return max(0, sum(mark() is not None for mark in self.marks) - self.spared)

    def forward(self, x):
        return Marked.apply(x @ self.weight + self.bias + self.held(), self.marks)

    def after(self, x):
        self.spared = 0
        return (x @ self.weight + self.bias + self.held()).detach()


def linear(weight, bias, spared=10**9):
    return Linear(weight, bias, spared)


def sgd(model, rate, momentum):
    return torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum)


def squared_error(output, target):
    return ((output - target) ** 2).mean()


def stream(batches):
    yield from batches


def leave_gradients(model, value):
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, value)
"""


class Trained(NamedTuple):
    """What one epoch leaves: the mean loss, the outputs before each step, and the parameters."""

    loss: float
    outputs: list[Floats]
    weight: Floats
    bias: Floats


class Problem(NamedTuple):
    """A linear model, an optimizer and some batches, drawn anew for each case."""

    weight: Floats
    bias: Floats
    rate: float
    momentum: float
    batches: list[Batch]

    @classmethod
    def drawn(cls, rng: np.random.Generator, count: int) -> Problem:
        """`count` batches of 2 to 5 samples with 3 features and 2 targets."""

        def numbers(*shape: int) -> Floats:
            return np.asarray(rng.normal(0.0, 1.0, shape).astype(np.float32), dtype=np.float64)

        sizes = [int(rng.integers(2, 6)) for _ in range(count)]
        batches = [(numbers(size, 3), numbers(size, 2)) for size in sizes]
        return cls(numbers(3, 2), numbers(2), float(rng.uniform(0.05, 0.15)), float(rng.uniform(0.3, 0.8)), batches)

    def solved(self, epochs: int = 1) -> Trained:
        """The last of some epochs of SGD: v = momentum v + gradient; parameter -= rate v. In float64."""
        weight, bias = self.weight.copy(), self.bias.copy()
        speed_w, speed_b = np.zeros_like(weight), np.zeros_like(bias)
        for _ in range(epochs):
            losses: list[float] = []
            outputs: list[Floats] = []
            for x, y in self.batches:
                output = x @ weight + bias
                outputs.append(output)
                losses.append(float(((output - y) ** 2).mean()))
                slope = 2 * (output - y) / y.size
                speed_w, speed_b = self.momentum * speed_w + x.T @ slope, self.momentum * speed_b + slope.sum(axis=0)
                weight, bias = weight - self.rate * speed_w, bias - self.rate * speed_b
        return Trained(float(np.mean(losses)) if losses else 0.0, outputs, weight, bias)


class Bench:
    """The candidate's function, and what is made for it in the box."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.train = box.get(box.load(), "train_epoch")
        self.parts = {
            name: box.define(SETUP, name) for name in ("linear", "sgd", "squared_error", "stream", "leave_gradients")
        }

    def made(self, problem: Problem, **options: Value) -> tuple[Handle, Handle]:
        """The model and its optimizer."""
        model = self.box.make(self.parts["linear"], tensor(problem.weight), tensor(problem.bias), **options)
        return model, self.box.make(self.parts["sgd"], model, problem.rate, problem.momentum)

    def sent(self, problem: Problem) -> list[Value]:
        """The batches as a list of pairs of tensors."""
        return [(tensor(x), tensor(y)) for x, y in problem.batches]

    def run(self, model: Handle, optimizer: Handle, batches: Value) -> tuple[Value, list[Value]]:
        """One epoch by the candidate: (mean loss, outputs)."""
        result = self.box.call(self.train, model, self.parts["squared_error"], optimizer, batches)
        expect(isinstance(result, tuple | list) and len(result) == 2, f"should return two things, not {kind(result)}")
        assert isinstance(result, tuple | list)
        expect(isinstance(result[1], list), f"the outputs should be a list, and are {kind(result[1])}")
        assert isinstance(result[1], list)
        return result[0], result[1]

    def parameters_are(self, model: Handle, trained: Trained) -> None:
        """Compare weight and bias with the reference."""
        for name, expected in (("weight", trained.weight), ("bias", trained.bias)):
            held = array(self.box.value(self.box.get(model, name)), name)
            expect_close(held, expected, dtype="float32", what=f"the {name} after training")
            expect(held.requires_grad, f"the {name} cannot be trained any more")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases: values first, then what is still held."""
    bench = Bench(box)

    def documented() -> None:
        note("two batches", "x = 1, y = 2")
        note("weight, learning rate", "0, 0.25")
        one, two = np.ones((1, 1)), np.full((1, 1), 2.0)
        problem = Problem(np.zeros((1, 1)), np.zeros(1), 0.25, 0.0, [(one, two), (one, two)])
        model = box.make(bench.parts["linear"], tensor(problem.weight), tensor(problem.bias))
        model_bias = box.get(model, "bias")
        box.method(model_bias, "requires_grad_", False)
        optimizer = box.make(bench.parts["sgd"], model, 0.25, 0.0)
        loss, outputs = bench.run(model, optimizer, bench.sent(problem))
        expect_close(loss, 2.5, what="mean loss")
        expect_close(outputs, [np.zeros((1, 1)), np.ones((1, 1))], dtype="float32", what="outputs")
        weight = box.value(box.get(model, "weight"))
        expect_close(weight, np.full((1, 1), 1.5), dtype="float32", what="the weight after training")

    def several() -> None:
        problem = Problem.drawn(rng, 6)
        model, optimizer = bench.made(problem)
        bench.run(model, optimizer, bench.sent(problem))
        bench.parameters_are(model, problem.solved())

    def leftover() -> None:
        problem = Problem.drawn(rng, 3)
        model, optimizer = bench.made(problem)
        box.call(bench.parts["leave_gradients"], model, float(rng.uniform(1.0, 3.0)))
        bench.run(model, optimizer, bench.sent(problem))
        bench.parameters_are(model, problem.solved())

    def second_epoch() -> None:
        problem = Problem.drawn(rng, 4)
        model, optimizer = bench.made(problem)
        for epoch in (1, 2):
            loss, _ = bench.run(model, optimizer, bench.sent(problem))
            expect_close(loss, problem.solved(epoch).loss, what="the mean loss")
        bench.parameters_are(model, problem.solved(2))
        expect(box.value(box.get(model, "training")) is True, "the model was left in evaluation mode")

    def mean_loss() -> None:
        for count in (1, 5):
            problem = Problem.drawn(rng, count)
            loss, _ = bench.run(*bench.made(problem), bench.sent(problem))
            expect(isinstance(loss, float), f"the mean loss should be a Python float, and is {kind(loss)}")
            expect_close(loss, problem.solved().loss, what="the mean loss")

    def outputs() -> None:
        problem = Problem.drawn(rng, 5)
        _, found = bench.run(*bench.made(problem), bench.sent(problem))
        expect_close(found, problem.solved().outputs, dtype="float32", what="outputs")
        for item in found:
            expect(not array(item, "an output").requires_grad, "an output still requires grad, so it holds its graph")

    def released() -> None:
        problem = Problem.drawn(rng, 9)
        model, optimizer = bench.made(problem, spared=2)
        kept = box.make(bench.train, model, bench.parts["squared_error"], optimizer, bench.sent(problem))
        solved, x = problem.solved(), np.ones((1, 3))
        what = "an output, to which graphs of earlier batches that are still held are added,"
        expect_close(array_list(box.value(kept)), solved.outputs, dtype="float32", what=what)
        after = box.method(model, "after", tensor(x))
        what = "the model after the call, with graphs that what was returned still holds,"
        expect_close(after, x @ solved.weight + solved.bias, dtype="float32", what=what)

    def generator() -> None:
        problem = Problem.drawn(rng, 4)
        model, optimizer = bench.made(problem)
        loss, found = bench.run(model, optimizer, box.make(bench.parts["stream"], bench.sent(problem)))
        expect_close(loss, problem.solved().loss, what="the mean loss")
        expect_close(found, problem.solved().outputs, dtype="float32", what="outputs")
        bench.parameters_are(model, problem.solved())

    def none() -> None:
        problem = Problem.drawn(rng, 0)
        model, optimizer = bench.made(problem)
        loss, found = bench.run(model, optimizer, [])
        expect(loss == 0.0 and found == [], "without batches the result should be 0.0 and an empty list")
        bench.parameters_are(model, problem.solved())

    yield case("documented-example", "the example of the question", documented, visible=True)
    yield case("several-batches", "the parameters after several batches, with momentum", several)
    yield case("leftover-gradient", "gradients that were there before the call do not count", leftover)
    yield case("second-epoch", "training goes on in a second epoch", second_epoch)
    yield case("mean-loss", "the mean loss, as a Python float", mean_loss)
    yield case("outputs", "the outputs, without a graph", outputs)
    yield case("graphs-released", "graphs of earlier batches are let go", released)
    yield case("generator", "batches that come from a generator", generator)
    yield case("no-batches", "no batches at all", none)


def array_list(result: Value) -> list[Value]:
    """The outputs of a kept result."""
    expect(isinstance(result, tuple | list) and len(result) == 2, f"should return two things, not {kind(result)}")
    assert isinstance(result, tuple | list)
    expect(isinstance(result[1], list), f"the outputs should be a list, and are {kind(result[1])}")
    assert isinstance(result[1], list)
    return result[1]
