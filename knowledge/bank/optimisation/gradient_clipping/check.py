"""Checks clipped_step(loss, batches, variables, lr, max_norm) against numpy in float64.

The hidden loss is linear regression with a weight matrix and an offset, so that the gradient over all samples is known.
TensorFlow's own clipping by norm is switched off in the box: that keeps honest work honest, and is not a security
boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, note, tensor, variable

Floats = npt.NDArray[np.float64]
Batch = tuple[Floats, Floats]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("TensorFlow's own clipping and global norm are switched off: do the arithmetic yourself")
    tf.clip_by_global_norm = tf.linalg.global_norm = tf.clip_by_norm = refuse
"""

LOSS = """
def build(w, b):
    def loss(x, y):
        return tf.reduce_mean(tf.reduce_sum((tf.linalg.matmul(x, w) + b - y) ** 2, 1))
    return loss
"""

LOOKUP = """
def build(table):
    def loss(rows, y):
        return tf.reduce_mean(tf.reduce_sum((tf.gather(table, rows) - y) ** 2, 1))
    return loss
"""


class Model:
    """y = x W + b with W (3, 2) and b (2,), as variables in the box and as numpy values here."""

    def __init__(self, box: Box, rng: np.random.Generator, dtype: str = "float32") -> None:
        self.box, self.rng, self.dtype = box, rng, dtype
        self.values = [self.drawn(3, 2), self.drawn(2)]
        self.held = [box.keep(variable(value, dtype)) for value in self.values]
        self.loss = box.make(box.define(LOSS, "build"), *self.held)

    def drawn(self, *shape: int) -> Floats:
        """Numbers exact in float32."""
        return self.rng.uniform(-1.5, 1.5, shape).astype(np.float32).astype(np.float64)

    def batches(self, *sizes: int) -> list[Batch]:
        """Micro-batches of these sizes."""
        return [(self.drawn(size, 3), self.drawn(size, 2)) for size in sizes]

    def sent(self, batches: Sequence[Batch]) -> list[Value]:
        """The batches on their way into the box."""
        return [(tensor(x, self.dtype), tensor(y, self.dtype)) for x, y in batches]

    def gradient(self, batches: Sequence[Batch]) -> tuple[list[Floats], float]:
        """Of the mean loss over all samples, with its norm."""
        x, y = (np.concatenate(parts) for parts in zip(*batches, strict=True))
        error = 2 * (x @ self.values[0] + self.values[1] - y) / len(x)
        found = [np.asarray(x.T @ error), np.asarray(error.sum(0))]
        return found, float(np.sqrt(sum((g**2).sum() for g in found)))


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    step = box.get(box.load(), "clipped_step")

    def is_now(held: Handle, wanted: Floats, dtype: str = "float32") -> None:
        rtol = 1e-10 if dtype == "float64" else 1e-4
        expect_close(array(box.value(held)), wanted, dtype=dtype, what="a variable", rtol=rtol, atol=rtol / 10)

    def norm_is(norm: Value, wanted: float, rtol: float = 1e-4) -> None:
        what = "the returned norm"
        expect(isinstance(norm, Array) and norm.role == "tensor", "the returned norm should be a tensor")
        expect_close(norm, np.array(wanted), what=what, rtol=rtol)

    def follows(model: Model, batches: Sequence[Batch], rate: float, share: float) -> None:
        """One step with max_norm at `share` of the norm; the model's values move along."""
        gradient, norm = model.gradient(batches)
        limit = share * norm
        got = box.call(step, model.loss, model.sent(batches), list(model.held), rate, limit)
        factor = min(1.0, share)
        model.values = [v - rate * factor * g for v, g in zip(model.values, gradient, strict=True)]
        for held, value in zip(model.held, model.values, strict=True):
            is_now(held, value, model.dtype)
        norm_is(got, norm, 1e-10 if model.dtype == "float64" else 1e-4)

    def documented() -> None:
        note("loss", "mean of (w x - y)², with w = 0")
        note("batches", "[([[3]], [[4]])], lr 0.5, max_norm 6")
        w = box.keep(variable([[0.0]]))
        source = "def build(w):\n    return lambda x, y: tf.reduce_mean((x * w - y) ** 2)"
        loss = box.make(box.define(source, "build"), w)
        norm = box.call(step, loss, [(tensor([[3.0]]), tensor([[4.0]]))], [w], 0.5, 6.0)
        norm_is(norm, 24.0)
        is_now(w, np.array([[3.0]]))

    def below() -> None:
        model = Model(box, rng)
        follows(model, model.batches(5), float(rng.uniform(0.02, 0.2)), float(rng.uniform(1.2, 3.0)))

    def above() -> None:
        for share in (float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.6, 0.9))):
            model = Model(box, rng)
            follows(model, model.batches(6), float(rng.uniform(0.5, 1.5)), share)

    def accumulated() -> None:
        for share in (2.0, 0.5):
            model = Model(box, rng)
            follows(model, model.batches(4, 4, 4), 0.3, share)

    def uneven() -> None:
        for share in (2.0, 0.5):
            model = Model(box, rng)
            follows(model, model.batches(5, 1, 3), 0.3, share)

    def two_steps() -> None:
        model = Model(box, rng)
        for share in (0.4, 1.5):
            follows(model, model.batches(3, 2), 0.2, share)

    def float64() -> None:
        model = Model(box, rng, "float64")
        follows(model, model.batches(3, 2), 0.25, 0.5)

    def unused() -> None:
        model = Model(box, rng)
        spare = box.keep(variable(model.values[1]))
        batches = model.batches(4)
        gradient, norm = model.gradient(batches)
        held = [spare, *model.held]
        norm_is(box.call(step, model.loss, model.sent(batches), list(held), 0.3, norm / 2), norm)
        is_now(spare, model.values[1])
        is_now(model.held[0], model.values[0] - 0.15 * gradient[0])

    def zero_gradient() -> None:
        model = Model(box, rng)
        x = model.drawn(4, 3)
        spare = box.keep(variable([1.0, 2.0]))
        loss = box.define("def loss(x, y):\n    return 0.0 * tf.reduce_sum(x - y)", "loss")
        free = box.make(
            box.define(
                "def build(w):\n    return lambda x, y: tf.reduce_sum(0.0 * w) + tf.reduce_sum(x * 0.0)", "build"
            ),
            spare,
        )
        for function in (loss, free):
            norm_is(box.call(step, function, [(tensor(x), tensor(x))], [spare], 0.5, 1.0), 0.0)
            is_now(spare, np.array([1.0, 2.0]))

    def lookup() -> None:
        table, y = rng.uniform(-1, 1, (5, 2)).astype(np.float32).astype(float), rng.uniform(2, 3, (3, 2))
        rows = np.array([1, 4, 1])
        held = box.keep(variable(table))
        gradient = np.zeros((5, 2))
        np.add.at(gradient, rows, 2 * (table[rows] - y) / 3)
        norm = float(np.linalg.norm(gradient))
        loss = box.make(box.define(LOOKUP, "build"), held)
        norm_is(box.call(step, loss, [(tensor(rows, "int64"), tensor(y))], [held], 0.5, norm / 2), norm)
        is_now(held, table - 0.25 * gradient)

    def not_finite() -> None:
        for bad in (np.nan, np.inf):
            model = Model(box, rng)
            batches = model.batches(3, 2)
            batches[1][1][0, 0] = bad
            box.call(step, model.loss, model.sent(batches), list(model.held), 0.3, 1.0)
            for held, value in zip(model.held, model.values, strict=True):
                is_now(held, value)

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("below-the-limit", "a gradient that is not clipped", below)
    yield case("above-the-limit", "a gradient that is clipped", above)
    yield case("accumulated", "several micro-batches of one size", accumulated)
    yield case("uneven", "micro-batches of different sizes", uneven)
    yield case("two-steps", "two steps in a row", two_steps)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("unused", "a variable that the loss does not use", unused)
    yield case("zero-gradient", "a gradient of zero, and none at all", zero_gradient)
    yield case("lookup", "a table of which rows are looked up", lookup)
    yield case("not-finite", "a gradient that is not finite", not_finite)
