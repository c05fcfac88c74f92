"""Checks batch_norm(x, gamma, beta, running_mean, running_var, training, momentum, eps) against numpy in float64.

The running statistics are kept in the box and read after the call, so that only an update of those very tensors
counts. Each case varies one thing; gamma, beta and the start of the running statistics stay at 1, 0, 0 and 1 where
the case is not about them, so that a fault shows where it belongs. PyTorch's own batch normalisation is switched off
in the box: that keeps honest work honest, and is not a security boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, CandidateError, Case, Framework, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("PyTorch's own batch normalisation is switched off: do the arithmetic yourself")
    for holder, names in (
        (torch, ("batch_norm", "native_batch_norm", "instance_norm")),
        (torch.nn.functional, ("batch_norm", "instance_norm")),
    ):
        for name in names:
            setattr(holder, name, refuse)
"""

# The last two dimensions swapped in memory: the values of x, in an order that no view can flatten.
SWAPPED = "def swapped(x):\n    return x.transpose(-1, -2).contiguous().transpose(-1, -2)"

BIND = """
def bind(batch_norm, mean, var, training):
    def forward(x, gamma, beta):
        return batch_norm(x, gamma, beta, mean.clone(), var.clone(), training)
    return forward
"""


class State(NamedTuple):
    """What the layer holds: four arrays of shape (C,), values exact in float32."""

    gamma: Floats
    beta: Floats
    mean: Floats
    var: Floats

    @classmethod
    def fresh(cls, channels: int) -> State:
        """A layer that has seen nothing: gamma 1, beta 0, running mean 0, running variance 1."""
        one, zero = np.ones(channels), np.zeros(channels)
        return cls(one, zero, zero, one)

    @classmethod
    def drawn(cls, rng: np.random.Generator, channels: int) -> State:
        """A layer in the middle of its training."""
        gamma, var = rng.uniform(0.5, 2.0, channels), rng.uniform(0.3, 3.0, channels)
        return cls(single(gamma), single(rng.normal(0, 2, channels)), single(rng.normal(0, 2, channels)), single(var))


def single(values: npt.ArrayLike) -> Floats:
    """The values rounded to what float32 holds, as float64: the box and the reference then see the same numbers."""
    return np.asarray(np.asarray(values, dtype=np.float32), dtype=np.float64)


def batch(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """An input with another mean and spread in each channel (dimension 1)."""
    across = (1, shape[1]) + (1,) * (len(shape) - 2)
    return single(rng.normal(size=shape) * rng.uniform(0.6, 3.0, across) + rng.uniform(-3.0, 3.0, across))


def per_channel(values: Floats, dims: int) -> Floats:
    """Shape (C,) made to broadcast against (N, C, …) of `dims` dimensions."""
    return values.reshape((1, -1) + (1,) * (dims - 2))


def others(x: Floats) -> tuple[int, ...]:
    """Every axis but that of the channels."""
    return tuple(axis for axis in range(x.ndim) if axis != 1)


def normalised(x: Floats, state: State, training: bool, eps: float = 1e-5) -> Floats:
    """The right output: (x - mean) / sqrt(var + eps) * gamma + beta; the batch's variance is the biased one."""
    mean, var = (x.mean(others(x)), x.var(others(x))) if training else (state.mean, state.var)
    centred = (x - per_channel(mean, x.ndim)) / np.sqrt(per_channel(var, x.ndim) + eps)
    return np.asarray(centred * per_channel(state.gamma, x.ndim) + per_channel(state.beta, x.ndim))


def moved(x: Floats, state: State, momentum: float) -> tuple[Floats, Floats]:
    """The running statistics after one step in training: momentum weighs the batch, whose variance is unbiased."""
    mean, var = x.mean(others(x)), x.var(others(x), ddof=1)
    return (1 - momentum) * state.mean + momentum * mean, (1 - momentum) * state.var + momentum * var


def gradients(x: Floats, state: State, training: bool, cotangent: Floats, eps: float = 1e-5) -> list[Floats]:
    """The gradients with respect to x, gamma and beta (Ioffe and Szegedy 2015, section 3)."""
    axes, plain = others(x), State(np.ones_like(state.gamma), np.zeros_like(state.beta), state.mean, state.var)
    hat, var = normalised(x, plain, training, eps), x.var(axes) if training else state.var
    inner = cotangent
    if training:
        inner = cotangent - cotangent.mean(axes, keepdims=True) - hat * (cotangent * hat).mean(axes, keepdims=True)
    by_x = inner * per_channel(state.gamma / np.sqrt(var + eps), x.ndim)
    return [np.asarray(by_x), np.asarray((cotangent * hat).sum(axes)), np.asarray(cotangent.sum(axes))]


def refuse_framework() -> None:
    """The question is about both frameworks, and its code about PyTorch."""
    raise Mismatch("the code of this question is to be written in PyTorch")


class Layer:
    """One layer in the box: its four tensors, kept, and the candidate's function."""

    def __init__(self, box: Box, batch_norm: Handle, state: State, dtype: str = "float32", grad: bool = False) -> None:
        self.box, self.batch_norm = box, batch_norm
        self.sent = [
            tensor(state.gamma, dtype, requires_grad=grad),
            tensor(state.beta, dtype, requires_grad=grad),
            tensor(state.mean, dtype),
            tensor(state.var, dtype),
        ]
        self.kept = [box.keep(item) for item in self.sent]

    def __call__(self, x: Value, training: bool, **options: Value) -> Value:
        return self.box.call(self.batch_norm, x, *self.kept, training, **options)

    def buffer(self, index: int, what: str) -> Array:
        """One of the four tensors as it is now."""
        return array(self.box.value(self.kept[index]), what)

    def expect_statistics(self, mean: Floats, var: Floats, rtol: float | None = None) -> None:
        """Both running statistics must have these values."""
        dtype = self.sent[2].dtype
        expect_close(self.buffer(2, "running_mean"), mean, dtype=dtype, what="running_mean", rtol=rtol)
        expect_close(self.buffer(3, "running_var"), var, dtype=dtype, what="running_var", rtol=rtol)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    if box.framework is not Framework.PYTORCH:
        yield case("documented-example", "the documented example", refuse_framework, visible=True)
        return
    box.call(box.define(SWITCH_OFF, "switch_off"))
    batch_norm = box.get(box.load(), "batch_norm")

    def layer(state: State, dtype: str = "float32") -> Layer:
        return Layer(box, batch_norm, state, dtype)

    def documented() -> None:
        x, state = np.array([[1.0, 2.0], [3.0, 6.0]]), State.fresh(2)
        subject = layer(state)
        note("x", x)
        expect_close(subject(tensor(x), True), normalised(x, state, True), dtype="float32", what="output")
        subject.expect_statistics(*moved(x, state, 0.1))

    def outputs(*shapes: tuple[int, ...], fresh: bool = True) -> Callable[[], None]:
        def body() -> None:
            for shape in shapes:
                x, state = batch(rng, shape), State.fresh(shape[1]) if fresh else State.drawn(rng, shape[1])
                expect_close(
                    layer(state)(tensor(x), True), normalised(x, state, True), dtype="float32", what="the output"
                )

        return body

    def not_contiguous() -> None:
        x, state = batch(rng, (4, 3, 5, 6)), State.fresh(3)
        sent = box.make(box.define(SWAPPED, "swapped"), tensor(x))
        expect_close(layer(state)(sent, True), normalised(x, state, True), dtype="float32", what="the output")

    def epsilon() -> None:
        eps = rng.uniform(0.2, 0.8)
        for training in (True, False):
            x, state = batch(rng, (9, 4)), State.fresh(4)
            got = layer(state)(tensor(x), training, eps=eps)
            expect_close(got, normalised(x, state, training, eps), dtype="float32", what="the output")

    def large_mean() -> None:
        # In float32 the squares are rounded to about 1, which is the variance itself; a mean is right to 2.4e-4.
        x, state = single(rng.normal(size=(64, 4)) + rng.uniform(3500.0, 4500.0, (1, 4))), State.fresh(4)
        got = layer(state)(tensor(x), True)
        expect_close(got, normalised(x, state, True), dtype="float32", rtol=4e-3, atol=4e-3, what="the output")

    def float64() -> None:
        x, state = batch(rng, (7, 3, 4)), State.drawn(rng, 3)
        subject = layer(state, "float64")
        got = subject(tensor(x, "float64"), True)
        expect_close(got, normalised(x, state, True), dtype="float64", rtol=1e-10, what="the output")
        subject.expect_statistics(*moved(x, state, 0.1), rtol=1e-10)

    def inputs_unchanged() -> None:
        for training in (True, False):
            sent, state = tensor(batch(rng, (6, 3, 4))), State.drawn(rng, 3)
            subject, x = layer(state), box.keep(sent)
            subject(x, training)
            for handle, before, what in (
                (x, sent, "x"),
                (subject.kept[0], subject.sent[0], "gamma"),
                (subject.kept[1], subject.sent[1], "beta"),
            ):
                expect_unchanged(box, handle, before, what)

    def running_mean() -> None:
        x, state = batch(rng, (32, 3)), State.drawn(rng, 3)
        subject = layer(state)
        subject(tensor(x), True)
        expect_close(subject.buffer(2, "running_mean"), moved(x, state, 0.1)[0], dtype="float32", what="running_mean")

    def running_variance() -> None:
        for shape in ((4, 3), (2, 3, 2, 2)):
            x, state = batch(rng, shape), State.drawn(rng, 3)
            subject = layer(state)
            subject(tensor(x), True)
            wanted = moved(x, state, 0.1)[1]
            expect_close(subject.buffer(3, "running_var"), wanted, dtype="float32", what="running_var")

    def momentum() -> None:
        rate, state = rng.uniform(0.25, 0.45), State.drawn(rng, 3)
        subject = layer(state)
        for _ in range(2):
            x = batch(rng, (12, 3))
            subject(tensor(x), True, momentum=rate)
            mean, var = moved(x, state, rate)
            state = State(state.gamma, state.beta, mean, var)
        subject.expect_statistics(state.mean, state.var)

    def outside_autograd() -> None:
        subject = Layer(box, batch_norm, State.drawn(rng, 3), grad=True)
        subject(tensor(batch(rng, (8, 3)), requires_grad=True), True)
        for index, what in ((2, "running_mean"), (3, "running_var")):
            expect(not subject.buffer(index, what).requires_grad, f"{what} has become part of the autograd graph")

    def eval_output() -> None:
        for shape in ((10, 3), (4, 3, 2, 5), (1, 3), (0, 3)):
            x, state = batch(rng, shape), State.drawn(rng, 3)
            wanted = normalised(x, state, False)
            expect_close(layer(state)(tensor(x), False), wanted, dtype="float32", what="the output")

    def eval_reads_only() -> None:
        subject = layer(State.drawn(rng, 3))
        subject(tensor(batch(rng, (10, 3))), False)
        for index, what in ((2, "running_mean"), (3, "running_var")):
            expect_unchanged(box, subject.kept[index], subject.sent[index], what)

    def gradient(training: bool) -> None:
        for shape in ((7, 3), (3, 2, 4, 2)):
            x, state = batch(rng, shape), State.drawn(rng, shape[1])
            cotangent = single(rng.normal(size=shape))
            statistics = tensor(state.mean, "float64"), tensor(state.var, "float64")
            forward = box.make(box.define(BIND, "bind"), batch_norm, *statistics, training)
            inputs = [tensor(item, "float64", requires_grad=True) for item in (x, state.gamma, state.beta)]
            got = box.vjp(forward, inputs, [tensor(cotangent, "float64")])
            for name, by, wanted in zip(
                ("x", "gamma", "beta"), got.gradients, gradients(x, state, training, cotangent), strict=True
            ):
                expect(by is not None, f"the output does not depend on {name} as far as autograd can tell")
                expect_close(by, wanted, dtype="float64", what=f"the gradient with respect to {name}")

    def one_image() -> None:
        x, state = batch(rng, (1, 3, 4, 5)), State.drawn(rng, 3)
        subject = layer(state)
        expect_close(subject(tensor(x), True), normalised(x, state, True), dtype="float32", what="the output")
        subject.expect_statistics(*moved(x, state, 0.1))

    def single_value() -> None:
        for shape in ((1, 3), (1, 3, 1, 1)):
            try:
                layer(State.fresh(3))(tensor(batch(rng, shape)), True)
            except CandidateError as error:
                expect(error.type_name == "ValueError", "raised another error than a ValueError")
            else:
                raise Mismatch("a channel with a single value was accepted in training")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("flat-input", "training on inputs of shape (N, C)", outputs((16, 3), (5, 1), (40, 6)))
    yield case(
        "image-input", "training on inputs of shape (N, C, …)", outputs((6, 3, 7), (4, 3, 5, 6), (2, 2, 3, 4, 3))
    )
    yield case("not-contiguous", "an input that is not contiguous in memory", not_contiguous)
    yield case("biased-variance", "the variance that a small batch is normalised with", outputs((3, 5), (2, 4)))
    yield case("scale-and-shift", "gamma and beta", outputs((8, 4, 3), fresh=False))
    yield case("epsilon", "the place of epsilon, and that the argument is used", epsilon)
    yield case("large-mean", "precision where the mean is large against the spread", large_mean)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("inputs-unchanged", "that x, gamma and beta are left alone", inputs_unchanged)
    yield case("running-mean", "the running mean after a step in training", running_mean)
    yield case("running-variance", "the running variance after a step in training", running_variance)
    yield case("momentum", "another momentum, over two steps", momentum)
    yield case("outside-autograd", "that the running statistics stay out of the autograd graph", outside_autograd)
    yield case("eval-output", "the output in evaluation", eval_output)
    yield case("eval-reads-only", "that evaluation leaves the running statistics alone", eval_reads_only)
    yield case("gradient-in-training", "the gradients in training", lambda: gradient(True))
    yield case("gradient-in-eval", "the gradients in evaluation", lambda: gradient(False))
    yield case("one-image", "a single image in training", one_image)
    yield case("single-value", "a channel with a single value in training", single_value)
