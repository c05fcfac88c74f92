"""swish(x, beta) = x · sigmoid(beta · x) with two derivatives, and clip_gradient(x, limit), against closed formulas.

TensorFlow's own swish is switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, note, tensor, variable

Floats = npt.NDArray[np.float64]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("TensorFlow's own swish is switched off: write it yourself")
    for holder in (tf.nn, keras.ops, keras.ops.nn, keras.activations):
        for name in ("silu", "swish"):
            setattr(holder, name, refuse)
"""

WRAPPERS = """
def clipped(clip_gradient, limit):
    return lambda x: clip_gradient(x, limit)

def amid(clip_gradient, limit):  # the clipping stands between two operations
    return lambda x: tf.sin(clip_gradient(3.0 * x, limit))

def traced(swish, clip_gradient, limit, dtype):
    @tf.function(input_signature=[tf.TensorSpec([None, None], dtype)] * 2 + [tf.TensorSpec([3], dtype)])
    def run(x, upstream, beta):
        with tf.GradientTape() as outer:
            outer.watch([x, beta])
            with tf.GradientTape() as inner:
                inner.watch([x, beta])
                y = swish(x, beta)
            gradients = inner.gradient(y, [x, beta], output_gradients=upstream)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = clip_gradient(x, limit)
        return y, gradients[0], gradients[1], outer.gradient(gradients[0], x), tape.gradient(z, x, upstream)
    return run
"""


def sigmoid(z: Floats) -> Floats:
    """The logistic function, without overflow at either end."""
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1 / (1 + small), small / (1 + small)))


class Swish(NamedTuple):
    """The value and all derivatives up to the second, each of the broadcast shape."""

    y: Floats
    x: Floats
    beta: Floats
    xx: Floats
    xb: Floats
    bb: Floats

    @classmethod
    def at(cls, x: Floats, beta: Floats) -> Swish:
        """With s, s' and s'' the sigmoid and its derivatives at z = beta x."""
        z = beta * x
        s, slope = sigmoid(z), sigmoid(z) * sigmoid(-z)
        bend = slope * (sigmoid(-z) - s)
        return cls(
            x * s, s + z * slope, x * x * slope, beta * (2 * slope + z * bend), x * (2 * slope + z * bend), x**3 * bend
        )


def like(beta: Floats, whole: Floats) -> Floats:
    """`whole`, summed over the axes along which beta was repeated."""
    extra = whole.ndim - beta.ndim
    summed = whole.sum(tuple(range(extra)))
    return np.asarray(summed.sum(tuple(i for i, n in enumerate(beta.shape) if n == 1), keepdims=True))


def present(item: Array | None, what: str) -> Array:
    """The gradient, if there is one."""
    if item is None:
        raise Mismatch(f"there is no {what} as far as the tape can tell")
    return item


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    module = box.load()
    swish, clip_gradient = box.get(module, "swish"), box.get(module, "clip_gradient")
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((4,), ()),
        ((2, 3), (3,)),
        ((2, 3), (2, 1)),
        ((2, 3, 2), (3, 1)),
    ]

    def drawn(*shape: int) -> Floats:
        """Numbers exact in float32."""
        return np.asarray(rng.uniform(-2.5, 2.5, shape).astype(np.float32), dtype=np.float64)

    def compare_gradients(x: Floats, beta: Floats, dtype: str = "float64", atol: float | None = None) -> None:
        exact, upstream = Swish.at(x, beta), drawn(*x.shape)
        got = box.vjp(swish, [tensor(x, dtype), tensor(beta, dtype)], [tensor(upstream, dtype)])
        expect_close(got.outputs[0], exact.y, dtype=dtype, what="the value")
        by_x, by_beta = (present(item, "gradient") for item in got.gradients)
        expect_close(by_x, upstream * exact.x, dtype=dtype, atol=atol, what="the gradient with respect to x")
        wanted = like(beta, upstream * exact.beta)
        expect_close(by_beta, wanted, dtype=dtype, atol=atol, what="the gradient with respect to beta")

    def compare_second(x: Floats, beta: Floats, atol: float | None = None) -> None:
        exact, upstream = Swish.at(x, beta), drawn(*x.shape)
        by_x, by_beta = drawn(*x.shape), drawn(*beta.shape)
        sent = [tensor(item, "float64") for item in (x, beta, upstream, by_x, by_beta)]
        got = box.vjp(swish, sent[:2], sent[2:3], second=sent[3:])
        wanted = (
            upstream * (by_x * exact.xx + by_beta * exact.xb),
            like(beta, upstream * (by_x * exact.xb + by_beta * exact.bb)),
        )
        found = got.second or (None, None)
        for name, item, value in zip(("x", "beta"), found, wanted, strict=True):
            what = f"second derivative with respect to {name}"
            expect_close(present(item, what), value, dtype="float64", atol=atol, what=f"the {what}")

    def documented() -> None:
        x, beta = np.array([1.0, -2.0]), np.array(2.0)
        note("x, beta", [1.0, -2.0, 2.0])
        got = box.vjp(swish, [tensor(x), tensor(beta)], [tensor(np.ones(2))])
        exact = Swish.at(x, beta)
        expect_close(got.outputs[0], exact.y, dtype="float32", what="the value")
        expect_close(present(got.gradients[0], "gradient"), exact.x, dtype="float32", what="the gradient by x")
        expect_close(present(got.gradients[1], "gradient"), exact.beta.sum(), dtype="float32", what="that by beta")
        note("limit, upstream", [0.5, 2.0, -0.1])
        forward = box.make(box.define(WRAPPERS, "clipped"), clip_gradient, 0.5)
        passed = box.vjp(forward, [tensor(x)], [tensor([2.0, -0.1])])
        expect_close(passed.outputs[0], x, dtype="float32", what="the clipped identity")
        what = "the clipped gradient"
        expect_close(present(passed.gradients[0], "gradient"), np.array([0.5, -0.1]), dtype="float32", what=what)

    def values() -> None:
        for dtype in ("float32", "float64"):
            for shape, small in shapes:
                x, beta = drawn(*shape), drawn(*small)
                got = box.call(swish, tensor(x, dtype), tensor(beta, dtype))
                expect_close(got, x * sigmoid(beta * x), dtype=dtype, what="the value")

    def by_x() -> None:
        compare_gradients(drawn(5), drawn(5))
        compare_gradients(drawn(5), drawn(5), "float32")

    def by_beta() -> None:
        for shape, small in shapes:
            compare_gradients(drawn(*shape), drawn(*small))

    def with_variables() -> None:
        x, beta, upstream = drawn(4, 3), drawn(3), drawn(4, 3)
        exact = Swish.at(x, beta)
        got = box.vjp(swish, [variable(x), variable(beta)], [tensor(upstream)])
        expect_close(present(got.gradients[0], "gradient"), upstream * exact.x, dtype="float32", what="that by x")
        wanted = like(beta, upstream * exact.beta)
        expect_close(present(got.gradients[1], "gradient"), wanted, dtype="float32", what="the gradient by beta")

    def second() -> None:
        compare_second(drawn(6), drawn(6))
        for shape, small in shapes:
            compare_second(drawn(*shape), drawn(*small))

    def large() -> None:
        sizes = np.array([40.0, 110.0, 800.0, 9e3]) * rng.uniform(0.9, 1.0, 4)
        x = np.concatenate([-sizes, sizes]).astype(np.float32).astype(np.float64)
        for dtype in ("float32", "float64"):
            for factor in (1.0, -1.0):
                compare_gradients(x, np.array(factor), dtype, atol=1e-3)
        compare_second(x, np.array(1.0), atol=1e-8)

    def odd_shapes() -> None:
        for shape in ((), (0,), (0, 3), (1, 1)):
            compare_gradients(drawn(*shape), drawn(*shape[1:]))

    def clipped() -> None:
        for dtype in ("float32", "float64"):
            limit, x, upstream = float(rng.uniform(0.5, 1.5)), drawn(4, 3), 2 * drawn(4, 3)
            forward = box.make(box.define(WRAPPERS, "clipped"), clip_gradient, limit)
            got = box.vjp(forward, [tensor(x, dtype)], [tensor(upstream, dtype)])
            expect_close(got.outputs[0], x, dtype=dtype, rtol=0.0, atol=0.0, what="the value of clip_gradient")
            wanted = upstream.clip(-limit, limit)
            expect_close(present(got.gradients[0], "gradient"), wanted, dtype=dtype, what="the clipped gradient")

    def clipped_amid() -> None:
        limit, x, upstream = float(rng.uniform(0.3, 0.9)), drawn(8), 3 * drawn(8)
        forward = box.make(box.define(WRAPPERS, "amid"), clip_gradient, limit)
        got = box.vjp(forward, [tensor(x, "float64")], [tensor(upstream, "float64")])
        expect_close(got.outputs[0], np.sin(3 * x), dtype="float64", what="the value")
        wanted = 3 * (upstream * np.cos(3 * x)).clip(-limit, limit)
        expect_close(present(got.gradients[0], "gradient"), wanted, dtype="float64", what="the gradient through it")

    def in_a_graph() -> None:
        limit, beta = float(rng.uniform(0.5, 1.5)), drawn(3)
        run = box.make(box.define(WRAPPERS, "traced"), swish, clip_gradient, limit, "float64")
        for rows in (2, 4):
            x, upstream = drawn(rows, 3), drawn(rows, 3)
            exact = Swish.at(x, beta)
            found = box.call(run, *(tensor(item, "float64") for item in (x, upstream, beta)))
            expect(isinstance(found, list | tuple) and len(found) == 5, "the function in a graph gives something else")
            assert isinstance(found, list | tuple)
            wanted = (exact.y, upstream * exact.x, like(beta, upstream * exact.beta), upstream * exact.xx)
            names = ("value", "gradient by x", "gradient by beta", "second derivative", "clipped gradient")
            for name, item, value in zip(names, found, (*wanted, upstream.clip(-limit, limit)), strict=True):
                expect_close(array(item, f"the {name}"), value, dtype="float64", what=f"the {name} in a graph")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("values", "the values of swish, with beta of several shapes", values)
    yield case("gradient-by-x", "the gradient with respect to x", by_x)
    yield case("gradient-by-beta", "the gradient with respect to a beta that broadcasts", by_beta)
    yield case("variables", "x and beta as variables", with_variables)
    yield case("second-derivatives", "the second derivatives, mixed ones as well", second)
    yield case("large", "arguments of large magnitude", large)
    yield case("odd-shapes", "scalars and empty tensors", odd_shapes)
    yield case("clipped", "clip_gradient: the value and the gradient", clipped)
    yield case("clipped-amid", "clip_gradient between other operations", clipped_amid)
    yield case("in-a-graph", "both inside tf.function, with a size that is not known", in_a_graph)
