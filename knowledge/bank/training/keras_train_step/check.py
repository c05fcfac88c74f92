"""Checks NormModel, a keras.Model with a train_step of its own, by what training and evaluation do with it.

Models are linear, y = gain * x W, where `gain` belongs to a hidden layer that multiplies in training only. Losses,
gradients and SGD steps are then known in closed form. Steps are run eagerly, except
in the case that calls fit; references are numpy in float64.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, case, expect, expect_close, ndarray, note, number

Floats = npt.NDArray[np.float64]

LAB = """
class Gain(keras.layers.Layer):
    def __init__(self, gain, **kwargs):
        super().__init__(**kwargs)
        self.gain = gain

    def call(self, x, training=False):
        return x * self.gain if training else x


class Lab:
    def __init__(self, kind, kernel, gain=1.0, l2=0.0, rate=0.1, loss="mse", frozen=None, eager=True, weighted=None):
        inputs = keras.Input(((kernel if frozen is None else frozen).shape[0],))
        x = Gain(gain)(inputs)
        if frozen is not None:
            x = keras.layers.Dense(frozen.shape[1], use_bias=False, trainable=False, name="frozen")(x)
        regularizer = keras.regularizers.L2(l2) if l2 else None
        outputs = keras.layers.Dense(kernel.shape[1], use_bias=False, kernel_regularizer=regularizer, name="last")
        self.model = kind(inputs, outputs(x))
        self.model.get_layer("last").set_weights([kernel])
        if frozen is not None:
            self.model.get_layer("frozen").set_weights([frozen])
        optimizer = keras.optimizers.SGD(rate)
        self.model.compile(optimizer, loss, metrics=["mae"], weighted_metrics=weighted, run_eagerly=eager)

    def fit(self, x, y, batch, epochs):
        history = self.model.fit(x, y, batch_size=batch, epochs=epochs, shuffle=False, verbose=0).history
        return {name: [float(value) for value in values] for name, values in history.items()}

    def step(self, x, y, weights=None):
        logs = self.model.train_on_batch(x, y, sample_weight=weights, return_dict=True)
        return {name: [float(value)] for name, value in logs.items()}

    def evaluate(self, x, y):
        return {name: float(value) for name, value in self.model.test_on_batch(x, y, return_dict=True).items()}

    def kernel(self, name="last"):
        return self.model.get_layer(name).get_weights()[0]
"""


def single(values: npt.ArrayLike) -> Floats:
    """Rounded to float32, as float64."""
    return np.asarray(np.asarray(values, dtype=np.float32), dtype=np.float64)


def step(
    kernel: Floats, x: Floats, y: Floats, l2: float = 0.0, weights: Floats | None = None
) -> tuple[float, float, Floats]:
    """Loss, mean absolute error and gradient: mean over samples of weight * mean squared error, plus l2 |W|²."""
    error = x @ kernel - y
    each = np.ones(len(x)) if weights is None else weights
    loss = float((each * (error**2).mean(1)).mean() + l2 * (kernel**2).sum())
    gradient = 2 * x.T @ (each[:, None] * error) / error.size + 2 * l2 * kernel
    return loss, float(np.abs(error).mean()), gradient


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    kind = box.get(box.load(), "NormModel")
    lab_kind = box.define(LAB, "Lab")

    def made(kernel: Floats, frozen: Floats | None = None, **options: Value) -> Handle:
        if frozen is not None:
            options["frozen"] = ndarray(frozen, "float32")
        return box.make(lab_kind, kind, ndarray(kernel, "float32"), **options)

    def data(samples: int, width: int = 3, outputs: int = 2) -> tuple[Floats, Floats, Floats]:
        x, y = rng.uniform(0.5, 2.0, (samples, width)), rng.uniform(-2.0, 2.0, (samples, outputs))
        return single(x), single(y), single(rng.uniform(-1.0, 1.0, (width, outputs)))

    def train(lab: Handle, x: Floats, y: Floats, weights: Floats | None = None) -> Value:
        more = [ndarray(weights, "float32")] if weights is not None else []
        return box.method(lab, "step", ndarray(x, "float32"), ndarray(y, "float32"), *more)

    def logged(history: Value, name: str, epoch: int = 0) -> float:
        values = history.get(name) if isinstance(history, dict) else None
        if not isinstance(values, list) or len(values) <= epoch:
            raise Mismatch(f"training reports no {name}")
        return number(values[epoch], name)

    def kernel_is(lab: Handle, wanted: Floats, name: str = "last") -> None:
        got = box.method(lab, "kernel", name)
        expect_close(got, wanted, dtype="float32", what="the weight after the step", rtol=1e-3, atol=1e-5)

    def reported(history: Value, name: str, wanted: float, epoch: int = 0) -> None:
        expect_close(logged(history, name, epoch), wanted, what=f"the reported {name}", rtol=1e-3)

    def documented() -> None:
        x, y = np.array([[1.0], [2.0]]), np.array([[2.0], [4.0]])
        note("x, y", [1.0, 2.0, 2.0, 4.0])
        lab = made(np.array([[0.0]]))
        history = train(lab, x, y)
        reported(history, "loss", 10.0)
        reported(history, "grad_norm", 10.0)
        kernel_is(lab, np.array([[1.0]]))

    def update() -> None:
        for rate, loss in ((float(rng.uniform(0.02, 0.2)), "mse"), (float(rng.uniform(0.3, 0.5)), "mae")):
            x, y, kernel = data(6)
            lab = made(kernel, rate=rate, loss=loss)
            train(lab, x, y)
            error = x @ kernel - y
            gradient = step(kernel, x, y)[2] if loss == "mse" else x.T @ np.sign(error) / error.size
            kernel_is(lab, kernel - rate * gradient)

    def regularised() -> None:
        (x, y, kernel), l2 = data(5), float(rng.uniform(0.2, 0.8))
        lab = made(kernel, l2=l2)
        history = train(lab, x, y)
        loss, _, gradient = step(kernel, x, y, l2)
        kernel_is(lab, kernel - 0.1 * gradient)
        reported(history, "loss", loss)

    def weighted() -> None:
        (x, y, kernel), weights = data(5), single(rng.uniform(0.1, 3.0, 5))
        lab = made(kernel, weighted=["mse"])
        history = train(lab, x, y, weights)
        kernel_is(lab, kernel - 0.1 * step(kernel, x, y, weights=weights)[2])
        squares = ((x @ kernel - y) ** 2).mean(1)
        wanted = float((weights * squares).sum() / weights.sum())
        expect_close(logged(history, "mse"), wanted, what="the weighted metric", rtol=1e-3)

    def training_mode() -> None:
        (x, y, kernel), gain = data(5), float(rng.uniform(1.5, 2.5))
        lab = made(kernel, gain=gain)
        train(lab, x, y)
        kernel = kernel - 0.1 * step(kernel, gain * x, y)[2]
        kernel_is(lab, kernel)
        scores = box.method(lab, "evaluate", ndarray(x, "float32"), ndarray(y, "float32"))
        expect(isinstance(scores, dict) and "loss" in scores, "evaluate reports no loss")
        loss, error, _ = step(kernel, x, y)
        expect_close(scores["loss"], loss, what="the loss of evaluate", rtol=1e-3)  # type: ignore[index,call-overload]
        expect_close(scores["mae"], error, what="the mae of evaluate", rtol=1e-3)  # type: ignore[index,call-overload]
        kernel_is(lab, kernel)

    def frozen() -> None:
        x, y, _ = data(5, 3, 2)
        fixed, kernel = single(rng.uniform(-1, 1, (3, 4))), single(rng.uniform(-1, 1, (4, 2)))
        lab = made(kernel, fixed)
        history = train(lab, x, y)
        gradient = step(kernel, x @ fixed, y)[2]
        kernel_is(lab, fixed, "frozen")
        kernel_is(lab, kernel - 0.1 * gradient)
        reported(history, "grad_norm", float(np.linalg.norm(gradient)))

    def epochs() -> None:
        x, y, kernel = data(12)
        lab = made(kernel, rate=0.05, eager=False)
        history = box.method(lab, "fit", ndarray(x, "float32"), ndarray(y, "float32"), 4, 2)
        for epoch in range(2):
            losses, errors, norms = [], [], []
            for start in range(0, 12, 4):
                loss, error, gradient = step(kernel, x[start : start + 4], y[start : start + 4])
                kernel = kernel - 0.05 * gradient
                losses.append(loss)
                errors.append(error)
                norms.append(float(np.linalg.norm(gradient)))
            for name, values in (("loss", losses), ("mae", errors), ("grad_norm", norms)):
                reported(history, name, float(np.mean(values)), epoch)
        kernel_is(lab, kernel)

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("update", "the weights after a step, with other data, rates and losses", update)
    yield case("regularised", "the penalty of a regulariser, in loss and gradient", regularised)
    yield case("sample-weight", "weights of the samples", weighted)
    yield case("training-mode", "training mode in training, inference mode in evaluation", training_mode)
    yield case("frozen", "a layer that is frozen", frozen)
    yield case("epochs", "loss, metric and gradient norm over two epochs", epochs)
