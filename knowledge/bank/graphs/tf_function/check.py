"""Checks compile_once(f, features): one trace for all batches and numbers, in a graph, with f's own values and state.

Each row of what the hidden function returns holds the value, a number that the Python body draws anew whenever it runs
(so that all calls of one trace agree in it), and the count of calls, kept in a variable. All constants are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Array, Box, CandidateError, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, kind, ndarray, note, tensor

Floats = npt.NDArray[np.float64]

PROBE = """
import os


class Probe:
    def __init__(self, weights, slope):
        weights, runs, calls = tf.constant(weights, tf.float32), [], tf.Variable(0.0, trainable=False)
        draw, number = os.urandom, int.from_bytes  # as they are before any submission is loaded

        @tf.autograph.experimental.do_not_convert
        def f(x, scale):
            runs.append(tf.executing_eagerly())
            tag = float(number(draw(3), "big"))
            value = tf.linalg.matvec(tf.sin(x), weights) * scale + slope * scale ** 2
            return tf.stack([value, tf.fill(tf.shape(value), tag), tf.fill(tf.shape(value), calls.assign_add(1.0))], 1)

        @tf.autograph.experimental.do_not_convert
        def any_shape(x, scale):
            runs.append(tf.executing_eagerly())
            return tf.reduce_sum(x, -1) * scale * slope

        self.f, self.any_shape, self.log = f, any_shape, runs

    def runs(self):
        return list(self.log)
"""


class Probe:
    """A hidden f(x, scale) = sin(x) · weights * scale + slope * scale², which also tells its trace and the call."""

    def __init__(self, box: Box, compile_once: Handle, rng: np.random.Generator, features: int) -> None:
        self.box, self.rng, self.features = box, rng, features
        self.weights = np.asarray(rng.uniform(0.5, 2.0, features) * rng.choice([-1.0, 1.0], features))
        self.slope = float(rng.uniform(0.5, 2.0))
        self.object = box.make(box.define(PROBE, "Probe"), self.weights.tolist(), self.slope)
        self.tags: set[float] = set()
        self.g = box.make(compile_once, box.get(self.object, "f"), features)

    def draw(self, batch: int) -> Floats:
        """A batch of inputs."""
        return self.rng.uniform(-2.0, 2.0, (batch, self.features))

    def expected(self, x: Floats, scale: float) -> Floats:
        """What f gives."""
        return np.asarray(np.sin(x) @ self.weights * scale + self.slope * scale**2)

    def gives(self, sent: Value, x: Floats, scale: float, scale_sent: Value = None) -> float | None:
        """One call, compared with f; gives the count of calls that f returned, None for an empty batch."""
        got = array(self.box.call(self.g, sent, scale if scale_sent is None else scale_sent))
        expect(got.role == "tensor", "the result should be a tensor, as that of f is")
        expect(got.dtype == "float32" and got.shape == (len(x), 3), f"the result is {kind(got)}, unlike that of f")
        value = Array(got.data[:, 0], got.dtype)
        expect_close(value, self.expected(x, scale), dtype="float32", what="the result", rtol=1e-4, atol=1e-4)
        self.tags |= {float(tag) for tag in got.data[:, 1]}
        counts = {float(count) for count in got.data[:, 2]}
        expect(len(counts) <= 1, "the rows of one result are from several calls")
        return counts.pop() if counts else None

    def runs(self) -> list[Value]:
        """For each time that the Python body ran, whether it ran eagerly."""
        runs = self.box.method(self.object, "runs")
        if not isinstance(runs, list):
            raise Mismatch("the count of the hidden function was tampered with")
        return runs

    def expect_one_trace(self) -> None:
        """The body has run once since the beginning, and in a graph."""
        expect(len(self.tags) == 1, "the Python body of f ran more than once, since results differ in what it drew")
        runs = self.runs()
        expect(not any(runs), "the body of f ran eagerly")
        expect(len(runs) == 1, "the Python body of f ran more than once" if runs else "the body of f never ran")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    compile_once = box.get(box.load(), "compile_once")

    def drawn(features: int = 0) -> Probe:
        return Probe(box, compile_once, rng, features or int(rng.integers(2, 6)))

    def documented() -> None:
        note("f", "mean of x over its rows, times scale")
        note("x", np.array([[1.0, 2.0], [3.0, 6.0]]))
        note("scale", 10)
        source = "@tf.autograph.experimental.do_not_convert\ndef f(x, scale):\n    return tf.reduce_mean(x, 0) * scale"
        g = box.make(compile_once, box.define(source, "f"), 2)
        expect_close(box.call(g, tensor([[1.0, 2.0], [3.0, 6.0]]), 10), [20.0, 40.0], dtype="float32")

    def values() -> None:
        for features in (1, 3, 5):
            probe = drawn(features)
            for batch in (4, 1, 7):
                x = probe.draw(batch)
                probe.gives(tensor(x), x, float(rng.uniform(-3.0, 3.0)))

    def batch_sizes() -> None:
        probe = drawn()
        for batch in (3, 5, 1, int(rng.integers(6, 20)), 0):
            x = probe.draw(batch)
            probe.gives(tensor(x), x, 1.5, tensor(1.5))
        probe.expect_one_trace()

    def python_numbers() -> None:
        probe = drawn()
        x = probe.draw(4)
        for scale in (*rng.uniform(0.2, 3.0, 4).tolist(), 2, -1, 0, int(rng.integers(3, 50)), float(rng.uniform(3, 4))):
            probe.gives(tensor(x), x, scale)
        probe.expect_one_trace()

    def kinds_of_input() -> None:
        probe = drawn(3)
        x, whole = probe.draw(4), rng.integers(-3, 4, (2, 3))
        rows: Value = [[float(value) for value in row] for row in x.tolist()]
        probe.gives(ndarray(x, "float64"), x, 2.0)
        probe.gives(rows, x, 0.25)
        probe.gives(ndarray(whole, "int64"), whole.astype(np.float64), 3)
        probe.gives(ndarray(x, "float32"), x, 1.25, tensor(1.25))
        probe.expect_one_trace()

    def state() -> None:
        probe = drawn()
        calls = int(rng.integers(3, 7))
        for call in range(1, calls + 1):
            x = probe.draw(3)
            counted = probe.gives(tensor(x), x, float(rng.uniform(0.5, 2.0)))
            expect(counted == call, "a variable that f changes at each call was not changed once at each call")

    def gradients() -> None:
        for batch in (3, 6):
            probe = drawn()
            x, scale = probe.draw(batch), float(rng.uniform(0.5, 2.0))
            cotangent = rng.uniform(0.5, 2.0, batch)
            sent = np.stack([cotangent, np.zeros(batch), np.zeros(batch)], axis=1)
            got = box.vjp(probe.g, [tensor(x), tensor(scale)], [tensor(sent)])
            by_x = cotangent[:, None] * np.cos(x) * probe.weights * scale
            by_scale = (cotangent * (np.sin(x) @ probe.weights + 2 * probe.slope * scale)).sum()
            for name, gradient, wanted in zip(("x", "scale"), got.gradients, (by_x, by_scale), strict=True):
                expect(gradient is not None, f"the tape finds no way from the result to {name}")
                what = f"the gradient with respect to {name}"
                expect_close(gradient, wanted, dtype="float32", what=what, rtol=1e-4, atol=1e-4)

    def independent() -> None:
        first, second = drawn(3), drawn(3)
        for probe in (first, second, first):
            x = probe.draw(4)
            probe.gives(tensor(x), x, float(rng.uniform(0.5, 2.0)))
        first.expect_one_trace()
        second.expect_one_trace()

    def wrong_features() -> None:
        probe = drawn(3)
        g = box.make(compile_once, box.get(probe.object, "any_shape"), 3)
        x = probe.draw(2)
        expect_close(box.call(g, tensor(x), 1.5), x.sum(-1) * 1.5 * probe.slope, what="the result", atol=1e-4)
        for bad in (rng.uniform(1.0, 2.0, (2, 4)), rng.uniform(1.0, 2.0, (2, 1)), rng.uniform(1.0, 2.0, 3)):
            before = len(probe.runs())
            try:
                box.call(g, tensor(bad), 1.5)
            except CandidateError:
                expect(len(probe.runs()) == before, "an x of the wrong shape was refused only by tracing f again")
            else:
                raise Mismatch("an x of the wrong shape was accepted")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("hidden-values", "the values of another function, at several numbers of features", values)
    yield case("batch-sizes", "one trace for all batch sizes, none included", batch_sizes)
    yield case("python-numbers", "one trace for all Python numbers", python_numbers)
    yield case("kinds-of-input", "one trace for tensors, numpy arrays and lists", kinds_of_input)
    yield case("state", "a variable that the function changes at every call", state)
    yield case("gradients", "gradients with respect to both inputs", gradients)
    yield case("independent", "two compiled functions side by side", independent)
    yield case("wrong-features", "an x of the wrong shape", wrong_features)
