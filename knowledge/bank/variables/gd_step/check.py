"""Checks gd_step(x, loss, lr): one step of gradient descent on a tf.Variable, in place.

The losses are made in the box from constants drawn here; their gradients are known in closed form and computed in
float64. The variable is kept in the box and read after the call, so that only an update of that very object counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, note, variable

Floats = npt.NDArray[np.float64]

PARABOLA = "def loss(x):\n    return (x - 5.0) ** 2"


def quadratic(scale: float, centre: Floats, slope: float) -> str:
    """Source of loss(x) = sum(scale * (x - centre)² + slope * x); its gradient is 2 scale (x - centre) + slope."""
    return f"def loss(x):\n    return tf.reduce_sum({scale!r} * (x - {centre.tolist()!r}) ** 2 + {slope!r} * x)"


class Subject:
    """The candidate's gd_step, called on variables that stay in the box."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.gd_step = box.get(box.load(), "gd_step")

    def step(self, x: Handle, loss: Handle, rate: float) -> Array:
        """One call; the gradient that it returned, which must be a tensor."""
        gradient = array(self.box.call(self.gd_step, x, loss, rate), "the returned gradient")
        expect(gradient.role == "tensor", "the returned gradient should be a tensor, not a variable or a numpy array")
        return gradient

    def moves(self, source: str, start: Floats, rate: float, gradient: Floats, dtype: str = "float32") -> None:
        """Take one step and compare the variable with start - rate * gradient."""
        x = self.box.keep(variable(start, dtype))
        self.box.call(self.gd_step, x, self.box.define(source, "loss"), rate)
        self.holds(x, start - rate * gradient, dtype)

    def holds(self, x: Handle, expected: Floats, dtype: str = "float32") -> None:
        """Compare the value of the variable itself. In float64 tightly enough to tell a derivative from an estimate."""
        after = array(self.box.value(x), "x after the step")
        expect_close(after, expected, dtype=dtype, what="x after the step", rtol=tight(dtype))


def tight(dtype: str) -> float | None:
    """The relative tolerance: in float64 such that one rounding to float32 on the way is found."""
    return 1e-10 if dtype == "float64" else None


def draw(rng: np.random.Generator, low: float, high: float, shape: tuple[int, ...] = ()) -> Floats:
    """Numbers of magnitude low to high and either sign, exact in float32."""
    size = rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape)
    return np.asarray(np.asarray(size, dtype=np.float32), dtype=np.float64)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    subject = Subject(box)

    def documented() -> None:
        note("x", 0.0)
        note("loss", "(x - 5)²")
        note("lr", 0.1)
        x = box.keep(variable(0.0))
        gradient = box.call(subject.gd_step, x, box.define(PARABOLA, "loss"), 0.1)
        subject.holds(x, np.array(1.0))
        expect_close(gradient, np.array(-10.0), what="the returned gradient")

    def hidden_loss() -> None:
        scale, slope, rate = rng.uniform(0.4, 1.6), rng.uniform(1.0, 3.0), rng.uniform(0.02, 0.3)
        start, centre = draw(rng, 2.0, 4.0), draw(rng, 0.5, 1.5)
        subject.moves(quadratic(scale, centre, slope), start, rate, 2 * scale * (start - centre) + slope)

    def learning_rate() -> None:
        scale, start, centre = rng.uniform(0.5, 1.5), draw(rng, 2.0, 4.0), draw(rng, 0.5, 1.5)
        for rate in (rng.uniform(0.2, 0.45), rng.uniform(0.005, 0.05), 0.0):
            subject.moves(quadratic(scale, centre, 0.0), start, rate, 2 * scale * (start - centre))

    def used_twice() -> None:
        wave, rate = rng.uniform(0.5, 1.5), rng.uniform(0.02, 0.3)
        start = draw(rng, 0.5, 1.5, (4,))
        source = f"def loss(x):\n    return tf.reduce_sum(x * tf.sin({wave!r} * x) + tf.exp({wave!r} * x))"
        gradient = np.sin(wave * start) + start * wave * np.cos(wave * start) + wave * np.exp(wave * start)
        subject.moves(source, start, rate, gradient)

    def two_steps() -> None:
        weight, rate, value = rng.uniform(0.5, 1.5), rng.uniform(0.02, 0.08), draw(rng, 1.0, 1.6, (3,))
        x = box.keep(variable(value))
        loss = box.define(f"def loss(x):\n    return tf.reduce_sum({weight!r} * x ** 4)", "loss")
        for _ in range(2):
            box.call(subject.gd_step, x, loss, rate)
            value = value - rate * 4 * weight * value**3
            subject.holds(x, value)

    def returned_gradient() -> None:
        scale, slope, rate = rng.uniform(0.4, 1.6), rng.uniform(1.0, 3.0), rng.uniform(0.05, 0.3)
        start, centre = draw(rng, 2.0, 4.0, (3,)), draw(rng, 0.5, 1.5, (3,))
        loss = box.define(quadratic(scale, centre, slope), "loss")
        gradient = subject.step(box.keep(variable(start)), loss, rate)
        expected = 2 * scale * (start - centre) + slope
        expect_close(gradient, expected, dtype="float32", what="the returned gradient")

    def shapes() -> None:
        for shape in ((2, 3), (1,), (3, 1, 2), (0,)):
            scale, rate = rng.uniform(0.4, 1.6), rng.uniform(0.02, 0.3)
            start, centre = draw(rng, 2.0, 4.0, shape), draw(rng, 0.5, 1.5, shape)
            x, loss = box.keep(variable(start)), box.define(quadratic(scale, centre, 0.0), "loss")
            gradient = subject.step(x, loss, rate)
            subject.holds(x, start - rate * 2 * scale * (start - centre))
            expect_close(gradient, 2 * scale * (start - centre), what="the returned gradient")

    def float64() -> None:
        # A rate that float32 holds exactly: tf.cast(lr, tf.float64) goes through float32, and is no fault.
        scale, slope, rate = rng.uniform(0.4, 1.6), rng.uniform(1.0, 3.0), float(rng.integers(3, 40)) / 128
        start, centre = rng.uniform(2.0, 4.0, (2, 2)), rng.uniform(-1.0, 1.0, (2, 2))
        x, loss = box.keep(variable(start, "float64")), box.define(quadratic(scale, centre, slope), "loss")
        gradient = subject.step(x, loss, rate)
        expected = 2 * scale * (start - centre) + slope
        subject.holds(x, start - rate * expected, "float64")
        expect_close(gradient, expected, dtype="float64", what="the returned gradient", rtol=tight("float64"))

    def other_variables() -> None:
        start, weight, rate = draw(rng, 1.0, 3.0, (3,)), draw(rng, 0.5, 1.5, (3,)), rng.uniform(0.05, 0.3)
        other = variable(weight)
        kept = box.keep(other)
        source = "def build(w):\n    def loss(x):\n        return tf.reduce_sum(w * x ** 2)\n    return loss"
        x, loss = box.keep(variable(start)), box.make(box.define(source, "build"), kept)
        box.call(subject.gd_step, x, loss, rate)
        subject.holds(x, start - rate * 2 * weight * start)
        expect_unchanged(box, kept, other, "another variable, which the loss uses")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("hidden-loss", "the value of x after a step on another loss", hidden_loss)
    yield case("learning-rate", "the length of the step at several learning rates", learning_rate)
    yield case("used-twice", "a loss in which x occurs more than once", used_twice)
    yield case("two-steps", "two steps in a row on the same variable", two_steps)
    yield case("returned-gradient", "the returned gradient, at the value before the step", returned_gradient)
    yield case("shapes", "variables of other shapes, with one element and with none", shapes)
    yield case("float64", "a float64 variable: dtype and precision", float64)
    yield case("other-variables", "that only x is changed", other_variables)
