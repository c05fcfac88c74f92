"""Checks checkpoint(function, *inputs): values and gradients against numpy, and whether a graph is kept alive.

The functions are made in the box. Each puts a mark on its graph, which is alive exactly as long as the graph is, and
counts its calls. What random functions must give comes from a second box that never loads the submission.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Value
from sandbox.toolkit import array, case, expect, expect_close, kind, note, tensor

SETUP = """
import gc
import sys
import weakref
import torch.utils.checkpoint


def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("PyTorch's own checkpointing is switched off: do it yourself")
    for name in ("checkpoint", "checkpoint_sequential", "CheckpointFunction"):
        setattr(torch.utils.checkpoint, name, refuse)


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


def alive(marks):
    gc.collect()
    return sum(mark() is not None for mark in marks)


def plain(function, *inputs):
    return function(*inputs)


def layer(checkpoint, x, w, weights):
    marks, calls = [], []

    def function(a):
        calls.append(1)
        return Marked.apply(torch.tanh(a @ w), marks)

    y = checkpoint(function, x)
    held = alive(marks)
    before = y.detach().clone()
    (y * weights).sum().backward()
    return [before, x.grad, w.grad, len(calls), held, alive(marks)]


def chain(checkpoint, x, w, weights, depth):
    marks = []

    def function(a):
        return Marked.apply(torch.tanh(a @ w), marks)

    y = x
    for _ in range(depth):
        y = checkpoint(function, y)
    held = alive(marks)
    (y * weights).sum().backward()
    return [y.detach(), x.grad, w.grad, held]


def shared(checkpoint, x, w, weights):
    a = torch.sin(x)
    y = checkpoint(lambda a: a @ w, a) * checkpoint(lambda a: torch.exp(a) @ w, a)
    (y * weights).sum().backward()
    return [y.detach(), x.grad, w.grad]


def pair(checkpoint, x, z, weights):
    y = checkpoint(lambda a, b: a * a * b, x, z)
    (y * weights).sum().backward()
    return [y.detach(), x.grad, z.grad]


def lookup(checkpoint, ids, w, weights):
    y = checkpoint(lambda i: w[i] ** 2, ids)
    (y * weights).sum().backward()
    return [y.detach(), w.grad]


def two_backwards(checkpoint, x, w, weights):
    for _ in range(2):
        (checkpoint(lambda a: torch.tanh(a @ w), x) * weights).sum().backward()
    return [x.grad, w.grad]


def without_gradient(checkpoint, x, w):
    calls = []

    def function(a):
        calls.append(1)
        return torch.tanh(a @ w)

    with torch.no_grad():
        y = checkpoint(function, x)
    return [y, len(calls)]


def random_layer(checkpoint, x, w, weights, seed):
    torch.manual_seed(seed)
    y = checkpoint(lambda a: torch.nn.functional.dropout(a * w, 0.5, True), x)
    between = torch.rand(3)
    before = y.detach().clone()
    (y * weights).sum().backward()
    return [before, x.grad, w.grad, between, torch.rand(3)]
"""

Floats = npt.NDArray[np.float64]


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SETUP, "switch_off"))
    checkpoint = box.get(box.load(), "checkpoint")

    def draw(*shape: int) -> Floats:
        values = rng.uniform(0.4, 1.3, shape) * rng.choice([-1.0, 1.0], shape)
        return np.asarray(values.astype(np.float32), dtype=np.float64)

    def run(name: str, *inputs: Value) -> list[Value]:
        found = box.call(box.define(SETUP, name), checkpoint, *inputs)
        assert isinstance(found, list | tuple)
        return list(found)

    def tanh_layer(x: Floats, w: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Output, and gradients for x and w."""
        y = np.tanh(x @ w)
        slope = weights * (1 - y**2)
        return y, slope @ w.T, x.T @ slope

    def compare(found: list[Value], expected: tuple[Floats, ...], dtype: str = "float32") -> None:
        names = ("the output", "the gradient for the input", "the gradient for the parameter")
        for item, wanted, name in zip(found, expected, names, strict=False):
            expect_close(item, wanted, dtype=dtype, rtol=1e-10 if dtype == "float64" else None, what=name)

    def documented() -> None:
        note("function, input", "tanh(3 x) at x = 0.5")
        x, w, weights = np.array([[0.5]]), np.array([[3.0]]), np.ones((1, 1))
        found = run("layer", tensor(x, requires_grad=True), tensor(w, requires_grad=True), tensor(weights))
        compare(found, tanh_layer(x, w, weights))

    def layer(dtype: str) -> list[Value]:
        x, w, weights = draw(4, 3), draw(3, 2), draw(4, 2)
        sent = (tensor(x, dtype, requires_grad=True), tensor(w, dtype, requires_grad=True), tensor(weights, dtype))
        found = run("layer", *sent)
        compare(found, tanh_layer(x, w, weights), dtype)
        return found

    def values() -> None:
        layer("float32")

    def float64() -> None:
        layer("float64")

    def released() -> None:
        found = layer("float32")
        expect(found[4] == 0, "the graph of the function is kept alive until backward")
        expect(found[5] == 0, "a graph is kept alive after backward")

    def recomputed() -> None:
        expect(layer("float32")[3] == 2, "the function should run once in forward and once in backward")

    def parameter_only() -> None:
        x, w, weights = draw(4, 3), draw(3, 2), draw(4, 2)
        found = run("layer", tensor(x), tensor(w, requires_grad=True), tensor(weights))
        expected = tanh_layer(x, w, weights)
        compare([found[0]], expected)
        expect_close(found[2], expected[2], dtype="float32", what="the gradient for the parameter")
        expect(found[1] is None, "an input that needs no gradient got one")

    def ids() -> None:
        rows, w, weights = rng.integers(0, 5, 6), draw(5, 2), draw(6, 2)
        found = run("lookup", tensor(rows, "int64"), tensor(w, requires_grad=True), tensor(weights))
        gradient = np.zeros_like(w)
        np.add.at(gradient, rows, 2 * w[rows] * weights)
        expect_close(found[0], w[rows] ** 2, dtype="float32", what="the output")
        expect_close(found[1], gradient, dtype="float32", what="the gradient for the parameter")

    def several() -> None:
        x, z, weights = draw(5), draw(5), draw(5)
        found = run("pair", tensor(x, requires_grad=True), tensor(z, requires_grad=True), tensor(weights))
        for item, wanted in zip(found, (x * x * z, 2 * x * z * weights, x * x * weights), strict=True):
            expect_close(item, wanted, dtype="float32", what="the output or a gradient")
        found = run("pair", tensor(x), tensor(z, requires_grad=True), tensor(weights))
        expect(found[1] is None, "an input that needs no gradient got one")
        expect_close(found[2], x * x * weights, dtype="float32", what="the gradient for the second input")

    def chained() -> None:
        x, w, weights, depth = draw(2, 3), draw(3, 3), draw(2, 3), 4
        points = [x]
        for _ in range(depth):
            points.append(np.tanh(points[-1] @ w))
        slope, dw = weights, np.zeros_like(w)
        for before, after in zip(points[-2::-1], points[:0:-1], strict=True):
            slope = slope * (1 - after**2)
            dw, slope = dw + before.T @ slope, slope @ w.T
        sent = (tensor(x, requires_grad=True), tensor(w, requires_grad=True), tensor(weights))
        found = run("chain", *sent, depth)
        compare(found, (points[-1], slope, dw))
        expect(found[3] == 0, "a graph is kept alive until backward")

    def shared() -> None:
        x, w, weights = draw(4, 3), draw(3, 2), draw(4, 2)
        a = np.sin(x)
        one, two = a @ w, np.exp(a) @ w
        da = (weights * two) @ w.T + ((weights * one) @ w.T) * np.exp(a)
        dw = a.T @ (weights * two) + np.exp(a).T @ (weights * one)
        found = run("shared", tensor(x, requires_grad=True), tensor(w, requires_grad=True), tensor(weights))
        compare(found, (one * two, da * np.cos(x), dw))

    def accumulates() -> None:
        x, w, weights = draw(4, 3), draw(3, 2), draw(4, 2)
        found = run("two_backwards", tensor(x, requires_grad=True), tensor(w, requires_grad=True), tensor(weights))
        _, dx, dw = tanh_layer(x, w, weights)
        expect_close(found[0], 2 * dx, dtype="float32", what="the gradient for the input after two backwards")
        expect_close(found[1], 2 * dw, dtype="float32", what="the gradient for the parameter after two backwards")

    def no_grad() -> None:
        x, w = draw(4, 3), draw(3, 2)
        y, calls = run("without_gradient", tensor(x, requires_grad=True), tensor(w, requires_grad=True))
        expect_close(y, np.tanh(x @ w), dtype="float32", what="the output")
        expect(not array(y).requires_grad, "under no_grad the output should not require grad")
        expect(calls == 1, "under no_grad the function should run once")

    def randomly() -> tuple[list[Value], list[Value], tuple[Floats, Floats, Floats]]:
        """What the candidate's box and another one give for the same seed, and the inputs."""
        x, w, weights = draw(40), draw(40), draw(40)
        sent = (
            tensor(x, requires_grad=True),
            tensor(w, requires_grad=True),
            tensor(weights),
            int(rng.integers(1 << 30)),
        )
        other = box.another()
        expected = other.call(other.define(SETUP, "random_layer"), other.define(SETUP, "plain"), *sent)
        assert isinstance(expected, list | tuple)
        return run("random_layer", *sent), list(expected), (x, w, weights)

    def dropout() -> None:
        found, expected, (x, w, weights) = randomly()
        output = array(found[0], "the output").data.astype(np.float64)
        expect_close(found[0], array(expected[0]).data, what="the output")
        factors = output / (x * w)  # 0 or 2, whatever was dropped
        expect_close(found[1], weights * w * factors, dtype="float32", what="the gradient for the input")
        expect_close(found[2], weights * x * factors, dtype="float32", what="the gradient for the parameter")

    def random_stream() -> None:
        found, expected, _ = randomly()
        expect(len(found) == len(expected), f"the results are {kind(found)}")
        expect_close(found[3], array(expected[3]).data, what="what is drawn between forward and backward")
        expect_close(found[4], array(expected[4]).data, what="what is drawn after backward")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("values", "output and gradients for input and parameter", values)
    yield case("float64", "the same in float64", float64)
    yield case("graph-released", "that no graph is kept between forward and backward", released)
    yield case("recomputed", "that the function runs once each way", recomputed)
    yield case("parameter-only", "an input that needs no gradient", parameter_only)
    yield case("integer-input", "an input of whole numbers", ids)
    yield case("several-inputs", "several inputs, not all of which need a gradient", several)
    yield case("chained", "checkpoints behind each other", chained)
    yield case("shared-input", "two checkpoints of the same input", shared)
    yield case("accumulates", "gradients of two backward passes", accumulates)
    yield case("no-grad", "a call under no_grad", no_grad)
    yield case("dropout", "a function with dropout", dropout)
    yield case("random-stream", "random numbers drawn by others", random_stream)
