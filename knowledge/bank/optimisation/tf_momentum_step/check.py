"""Checks the class Momentum against gradient descent with momentum in numpy, float64, in Keras's form.

Variables stay in the box over the steps; what counts is the value of these very variables. Keras's optimizers and the
raw momentum operations are switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Value
from sandbox.toolkit import array, case, expect, expect_close, kind, note, tensor, variable

Floats = npt.NDArray[np.float64]

SETUP = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("Keras's optimizers are switched off: do the arithmetic yourself")
    for holder in (keras.optimizers, tf.keras.optimizers, getattr(keras.optimizers, "legacy", None)):
        for name in ("SGD", "Adam", "AdamW", "RMSprop", "Nadam", "get", "deserialize"):
            if hasattr(holder, name):
                setattr(holder, name, refuse)
    for name in ("ResourceApplyMomentum", "ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum"):
        setattr(tf.raw_ops, name, refuse)


def slices(values, rows, shape):
    return tf.IndexedSlices(values, rows, tf.constant(shape, tf.int64))


def gathered(table, rows, weights):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, rows) * weights)
    return tape.gradient(loss, table)


def compiled(optimizer, variables, targets):
    @tf.function
    def train(lr):
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum((v - t) ** 2) / 2 for v, t in zip(variables, targets)])
        optimizer.step(tape.gradient(loss, variables), lr)
    return train
"""


class Sparse(NamedTuple):
    """A gradient for some rows, which may be named twice."""

    values: Floats
    rows: npt.NDArray[np.int64]


Gradient: TypeAlias = Floats | Sparse | None


class Training:
    """Variables and the candidate's optimizer in the box, and the reference beside them."""

    def __init__(
        self,
        box: Box,
        weights: Sequence[Floats],
        momentum: float | None = None,
        nesterov: bool = False,
        dtype: str = "float32",
    ) -> None:
        self.box, self.dtype, self.nesterov = box, dtype, nesterov
        self.momentum = 0.9 if momentum is None else momentum
        self.kept = [box.keep(variable(weight, dtype)) for weight in weights]
        options: dict[str, Value] = {} if momentum is None else {"momentum": momentum, "nesterov": nesterov}
        self.optimizer = box.make(box.get(box.load(), "Momentum"), list(self.kept), **options)
        self.weights = [weight.copy() for weight in weights]
        self.velocities = [np.zeros_like(weight) for weight in weights]

    def follow(self, gradients: Sequence[Gradient], lr: float) -> None:
        """One step of the reference: v = momentum v - lr g, and w += v, or with Nesterov w += momentum v - lr g."""
        for index, gradient in enumerate(gradients):
            if gradient is None:
                continue
            dense = np.zeros_like(self.weights[index])
            if isinstance(gradient, Sparse):
                np.add.at(dense, gradient.rows, gradient.values)
            else:
                dense = gradient
            velocity = self.velocities[index] = self.momentum * self.velocities[index] - lr * dense
            self.weights[index] = self.weights[index] + (
                self.momentum * velocity - lr * dense if self.nesterov else velocity
            )

    def sent(self, index: int, gradient: Gradient) -> Value:
        """The gradient on its way into the box."""
        if gradient is None:
            return None
        if isinstance(gradient, Sparse):
            values, rows = tensor(gradient.values, self.dtype), tensor(gradient.rows, "int64")
            return self.box.make(self.box.define(SETUP, "slices"), values, rows, list(self.weights[index].shape))
        return tensor(gradient, self.dtype)

    def step(self, gradients: Sequence[Gradient], lr: float, as_tensor: bool = False) -> None:
        """One step on both sides."""
        sent = [self.sent(index, gradient) for index, gradient in enumerate(gradients)]
        result = self.box.method(self.optimizer, "step", sent, tensor(lr, self.dtype) if as_tensor else lr)
        expect(result is None, f"step should return nothing, and returned {kind(result)}")
        self.follow(gradients, lr)

    def compare(self) -> None:
        """The variables themselves must have the reference's values."""
        for index, (handle, weight) in enumerate(zip(self.kept, self.weights, strict=True)):
            now, what = array(self.box.value(handle)), f"variable {index}"
            expect_close(now, weight, dtype=self.dtype, rtol=1e-10 if self.dtype == "float64" else None, what=what)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SETUP, "switch_off"))
    box.load()

    def draw(*shape: int) -> Floats:
        """Numbers of magnitude 0.5 to 2 and either sign, exact in float32."""
        values = rng.uniform(0.5, 2, shape) * rng.choice([-1.0, 1.0], shape)
        return np.asarray(np.asarray(values, dtype=np.float32), dtype=np.float64)

    def rate() -> float:
        return float(rng.integers(4, 30)) / 128  # exact in float32, as is momentum: casts through it are no fault

    def inertia() -> float:
        return float(rng.integers(8, 15)) / 16

    def train(steps: int, nesterov: bool, *shapes: tuple[int, ...]) -> None:
        training, lr = Training(box, [draw(*shape) for shape in shapes], inertia(), nesterov), rate()
        for _ in range(steps):
            training.step([draw(*shape) for shape in shapes], lr)
            training.compare()

    def documented() -> None:
        note("variable, gradients, lr", "[1.0], [2.0] in each of two steps, 0.1")
        for nesterov, ends in ((False, (0.8, 0.42)), (True, (0.62, 0.078))):
            training = Training(box, [np.array([1.0])], 0.9, nesterov)
            for end in ends:
                training.step([np.array([2.0])], 0.1)
                expect_close(box.value(training.kept[0]), np.array([end]), what=f"the variable, nesterov={nesterov}")

    def several_steps() -> None:
        train(6, False, (4,))

    def nesterov() -> None:
        train(5, True, (4,))

    def learning_rate() -> None:
        for nesterov in (False, True):
            training = Training(box, [draw(3)], inertia(), nesterov)
            for index in range(5):
                training.step([draw(3)], rate() / (1 + index), as_tensor=bool(index % 2))
                training.compare()

    def defaults() -> None:
        training, lr = Training(box, [draw(3)]), rate()
        for _ in range(4):
            training.step([draw(3)], lr)
            training.compare()

    def several_variables() -> None:
        train(4, False, (3,), (2, 3), (1,))
        train(3, True, (3,), (3,))

    def missing_gradient() -> None:
        for nesterov in (False, True):
            training, lr = Training(box, [draw(3), draw(2)], inertia(), nesterov), rate()
            for present in ((True, True), (True, False), (False, True), (True, True)):
                gradients = [draw(size) if here else None for size, here in zip((3, 2), present, strict=True)]
                training.step(gradients, lr)
                training.compare()

    def sparse_gradient() -> None:
        for nesterov in (False, True):
            training, lr = Training(box, [draw(5, 2), draw(2)], inertia(), nesterov), rate()
            training.step([draw(5, 2), draw(2)], lr)
            for rows in ([3, 0, 3], [1, 1], [4]):
                training.step([Sparse(draw(len(rows), 2), np.array(rows)), draw(2)], lr)
                training.compare()

    def embedding() -> None:
        training, lr = Training(box, [draw(6, 3)], inertia()), rate()
        for _ in range(3):
            rows, weights = rng.integers(0, 4, 5), draw(5, 3)
            rows[1] = rows[0]
            gradient = box.make(box.define(SETUP, "gathered"), training.kept[0], tensor(rows, "int64"), tensor(weights))
            box.method(training.optimizer, "step", [gradient], lr)
            training.follow([Sparse(weights, rows)], lr)
            training.compare()

    def in_a_graph() -> None:
        for nesterov in (False, True):
            training = Training(box, [draw(3), draw(2, 2)], inertia(), nesterov)
            targets = [draw(3), draw(2, 2)]
            made = box.define(SETUP, "compiled")
            traced = box.make(made, training.optimizer, list(training.kept), [tensor(item) for item in targets])
            for _ in range(4):
                lr = rate()
                box.call(traced, tensor(lr))
                training.follow([w - t for w, t in zip(training.weights, targets, strict=True)], lr)
                training.compare()
            gradients = [draw(3), draw(2, 2)]  # and from outside, with the same velocities
            training.step(gradients, rate())
            training.compare()

    def separate() -> None:
        one, other = (Training(box, [draw(3)], inertia()) for _ in range(2))
        lr = rate()
        for training in (one, other, one, one, other):
            training.step([draw(3)], lr)
            training.compare()

    def shapes() -> None:
        train(2, False, (), (1,), (0,), (2, 1, 3))
        train(2, True, (), (0, 2))

    def float64() -> None:
        training = Training(box, [rng.uniform(1, 2, (2, 3))], inertia(), True, "float64")
        for index in range(4):
            training.step([rng.normal(size=(2, 3))], rate(), as_tensor=index == 1)
            training.compare()

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("several-steps", "six steps with plain momentum", several_steps)
    yield case("nesterov", "five steps with Nesterov momentum", nesterov)
    yield case("learning-rate", "a learning rate that changes, as a number and as a tensor", learning_rate)
    yield case("defaults", "the default arguments", defaults)
    yield case("several-variables", "several variables at once", several_variables)
    yield case("missing-gradient", "a variable that has no gradient in some steps", missing_gradient)
    yield case("sparse-gradient", "gradients for some rows only", sparse_gradient)
    yield case("embedding", "the gradient of a lookup that names a row twice", embedding)
    yield case("in-a-graph", "steps inside a tf.function", in_a_graph)
    yield case("separate-optimizers", "two optimizers in turn", separate)
    yield case("shapes", "variables without dimensions, with one element, and empty", shapes)
    yield case("float64", "dtype and precision in float64", float64)
