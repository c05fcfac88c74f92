"""Checks cross_entropy(logits, labels, weights, label_smoothing) against numpy in float64.

TensorFlow's own softmax and cross-entropies are switched off in the box: that keeps honest work honest, and is not a
security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Value
from sandbox.toolkit import array, case, expect, expect_close, note, tensor

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("TensorFlow's own softmax and cross-entropy are switched off: do the arithmetic yourself")
    names = "softmax log_softmax softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits"
    for name in names.split():
        setattr(tf.nn, name, refuse)
    for holder in (tf.math, keras.ops):
        for name in ("reduce_logsumexp", "logsumexp", "softmax", "log_softmax"):
            if hasattr(holder, name):
                setattr(holder, name, refuse)
    for name in ("sparse_categorical_crossentropy", "categorical_crossentropy"):
        setattr(keras.losses, name, refuse)
        setattr(keras.ops, name, refuse)
    tf.reduce_logsumexp = refuse
    for name in ("SparseCategoricalCrossentropy", "CategoricalCrossentropy"):
        setattr(keras.losses, name, refuse)
"""

BIND = """
def bind(cross_entropy, labels, weights, smoothing):
    def loss(logits):
        return cross_entropy(logits, labels, weights=weights, label_smoothing=smoothing)
    return loss
"""


def reference(logits: Floats, labels: Labels, weights: Floats | None, smoothing: float) -> tuple[float, Floats]:
    """The loss and its gradient with respect to the logits."""
    classes = logits.shape[-1]
    z, y = logits.reshape(-1, classes), labels.reshape(-1)
    w = np.ones(len(y)) if weights is None else weights.reshape(-1)
    shifted = z - z.max(1, keepdims=True) if z.size else z
    log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    target = np.full(z.shape, smoothing / classes)
    target[np.arange(len(y)), y] += 1 - smoothing
    each = -np.where(target > 0, target * log_p, 0.0).sum(1)
    total = w.sum()
    share = w / total if total > 0 else np.zeros_like(w)
    return float((share * each).sum()), (share[:, None] * (np.exp(log_p) - target)).reshape(logits.shape)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    cross_entropy = box.get(box.load(), "cross_entropy")

    def drawn(*shape: int, spread: float = 2.0) -> tuple[Floats, Labels]:
        logits = rng.normal(0, spread, shape).astype(np.float16).astype(np.float64)
        return logits, rng.integers(0, shape[-1], shape[:-1])

    def positive(*shape: int) -> Floats:
        return rng.uniform(0.2, 3.0, shape).astype(np.float32).astype(np.float64)

    def agrees(
        logits: Floats, labels: Labels, weights: Floats | None = None, smoothing: float = 0.0, dtype: str = "float32"
    ) -> None:
        options: dict[str, Value] = {"label_smoothing": smoothing} if smoothing else {}
        if weights is not None:
            options["weights"] = tensor(weights, dtype)
        got = array(box.call(cross_entropy, tensor(logits, dtype), tensor(labels, "int64"), **options))
        wanted = reference(logits, labels, weights, smoothing)[0]
        rtol = {"float64": 1e-10, "float32": 1e-4, "float16": 1e-2}[dtype]
        expect_close(got, np.array(wanted), dtype=dtype, what="the loss", rtol=rtol, atol=rtol)

    def gradient_agrees(logits: Floats, labels: Labels, weights: Floats | None = None, smoothing: float = 0.0) -> None:
        kept = None if weights is None else tensor(weights)
        loss = box.make(box.define(BIND, "bind"), cross_entropy, tensor(labels, "int64"), kept, smoothing)
        got = box.vjp(loss, [tensor(logits)], [tensor(1.0)]).gradients[0]
        expect(got is not None, "the tape finds no way from the loss to the logits")
        wanted = reference(logits, labels, weights, smoothing)[1]
        expect_close(got, wanted, what="the gradient with respect to the logits", rtol=1e-3, atol=1e-5)

    def documented() -> None:
        logits, labels = np.array([[2.0, 0.0], [0.0, 0.0]]), np.array([0, 1])
        note("logits", logits)
        note("labels", labels)
        agrees(logits, labels)

    def hidden_values() -> None:
        for size, classes in ((6, 4), (1, 3), (17, 10)):
            agrees(*drawn(size, classes))

    def shapes() -> None:
        for shape in ((5,), (2, 3, 4), (2, 1, 3, 2), (4, 1)):
            agrees(*drawn(*shape))
        logits, labels = drawn(2, 3, 4)
        agrees(logits, labels, positive(2, 3), 0.2)

    def nothing_to_count() -> None:
        agrees(*drawn(0, 3))
        logits, labels = drawn(4, 3)
        agrees(logits, labels, np.zeros(4))
        gradient_agrees(logits, labels, np.zeros(4))

    def weighted() -> None:
        for size in (5, 9):
            logits, labels = drawn(size, 4)
            agrees(logits, labels, positive(size))
            agrees(logits, labels, positive(size) * (np.arange(size) % 2))
            agrees(logits, labels, positive(size) / 64)

    def smoothed() -> None:
        for classes in (3, 5):
            logits, labels = drawn(6, classes)
            agrees(logits, labels, None, float(rng.uniform(0.1, 0.4)))
            agrees(logits, labels, positive(6), float(rng.uniform(0.1, 0.4)))

    def dtypes() -> None:
        logits, labels = drawn(6, 5)
        agrees(logits, labels, positive(6), 0.125, "float64")
        agrees(logits, labels, None, 0.0, "float64")
        agrees(logits, labels, None, 0.0, "float16")

    def large() -> None:
        for offset in (0.0, 5000.0, -5000.0):
            logits, labels = drawn(6, 4, spread=400.0)
            agrees(logits + offset, labels)
            agrees(logits + offset, labels, positive(6), 0.1)
        logits, labels = drawn(4, 3)
        # Rows of very different height: one shift for the whole batch lets the low ones vanish.
        agrees(logits + np.array([[0.0], [3000.0], [-3000.0], [80.0]]), labels)

    def large_gradient() -> None:
        logits, labels = drawn(6, 4, spread=400.0)
        gradient_agrees(logits, labels)
        gradient_agrees(drawn(6, 4)[0] + 4096.0, labels, positive(6), 0.1)

    def ruled_out() -> None:
        logits, labels = drawn(6, 5)
        logits[np.arange(6), (labels + 2) % 5] = -np.inf
        agrees(logits, labels)
        gradient_agrees(logits, labels)

    def gradient() -> None:
        logits, labels = drawn(7, 4)
        gradient_agrees(logits, labels)
        gradient_agrees(logits, labels, positive(7), float(rng.uniform(0.1, 0.4)))

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("hidden-values", "other logits and numbers of classes", hidden_values)
    yield case("shapes", "one sample alone, sequences, a single class", shapes)
    yield case("nothing-to-count", "no samples, and weights that are all zero", nothing_to_count)
    yield case("weights", "weights of the samples", weighted)
    yield case("smoothing", "label smoothing", smoothed)
    yield case("dtypes", "dtype and precision", dtypes)
    yield case("large-logits", "logits in the hundreds and thousands", large)
    yield case("gradient", "the gradient", gradient)
    yield case("large-gradient", "the gradient at large logits", large_gradient)
    yield case("ruled-out", "a class that is ruled out by a logit of minus infinity", ruled_out)
