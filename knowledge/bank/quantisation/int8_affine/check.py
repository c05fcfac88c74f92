"""Checks qparams, quantise and dequantise: affine int8 quantisation, per tensor and per channel.

Everything is compared with numpy in float64. A value that lies nearly halfway between two steps may go either way, so
such entries may be off by one; everything else must be exact.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Value
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, kind, note, tensor

Floats = npt.NDArray[np.float64]
NEAR_HALF = 1e-3  # a quotient in float32 is off by far less


def single(data: npt.ArrayLike) -> Floats:
    """The numbers as float32 holds them, in float64."""
    return np.asarray(np.asarray(data, dtype=np.float32), dtype=np.float64)


def spread(values: npt.ArrayLike, ndim: int, axis: int | None) -> Floats:
    """A scale or zero point in a shape that broadcasts against an array of `ndim` dimensions."""
    wide = np.asarray(values, dtype=np.float64)
    if axis is None:
        return wide
    return wide.reshape([-1 if dimension == axis % ndim else 1 for dimension in range(ndim)])


def parameters(x: Floats, axis: int | None) -> tuple[Floats, Floats]:
    """scale = (high - low) / 255 and zero point = round(-128 - low / scale), where [low, high] contains 0."""
    others = None if axis is None else tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    low = np.minimum(x.min(axis=others), 0.0)
    high = np.maximum(x.max(axis=others), 0.0)
    scale = (high - low) / 255
    return scale, -128 - low / scale


class Quantiser:
    """The candidate's three functions, and comparisons with the reference."""

    def __init__(self, box: Box) -> None:
        self.box = box
        module = box.load()
        self.qparams, self.quantise, self.dequantise = (
            box.get(module, name) for name in ("qparams", "quantise", "dequantise")
        )

    def calibrates(self, x: Floats, axis: int | None) -> tuple[Array, Array]:
        """Compare scale and zero point for x, and return them."""
        scale, zero_point = parameters(x, axis)
        found = pair(self.box.call(self.qparams, tensor(x), axis))
        expect_close(found[0], scale, dtype="float32", what="the scale")
        expect(found[1].dtype == "int32", f"the zero point should be int32, and is {found[1].dtype}")
        same_steps(found[1], zero_point, "the zero point")
        return found

    def quantises(self, x: Floats, scale: Floats, zero_point: Floats, axis: int | None) -> None:
        """Compare the int8 values of x for given parameters."""
        found = array(self.box.call(self.quantise, tensor(x), *sent(scale, zero_point), axis), "the quantised tensor")
        expect(found.dtype == "int8", f"the quantised tensor should be int8, and is {found.dtype}")
        steps = x / spread(scale, x.ndim, axis)
        same_steps(found, steps + spread(zero_point, x.ndim, axis), "the quantised tensor")

    def dequantises(self, q: npt.NDArray[np.int8], scale: Floats, zero_point: Floats, axis: int | None) -> None:
        """Compare the numbers that given int8 values stand for."""
        found = self.box.call(self.dequantise, tensor(q, "int8"), *sent(scale, zero_point), axis)
        steps = q.astype(np.float64) - spread(zero_point, q.ndim, axis)
        expect_close(found, steps * spread(scale, q.ndim, axis), dtype="float32", what="the dequantised tensor")


def pair(found: Value) -> tuple[Array, Array]:
    """Scale and zero point, which must be two tensors."""
    expect(isinstance(found, tuple | list) and len(found) == 2, f"qparams should return a pair, not {kind(found)}")
    assert isinstance(found, tuple | list)
    return array(found[0], "the scale"), array(found[1], "the zero point")


def sent(scale: Floats, zero_point: Floats) -> tuple[Array, Array]:
    """Scale and zero point on their way into the box."""
    return tensor(scale), tensor(zero_point, "int32")


def same_steps(found: Array, exact: Floats, what: str) -> None:
    """Raise unless `found` is `exact` rounded to the nearest and cut off at -128 and 127; halves may go either way."""
    expect(found.shape == exact.shape, f"{what} has the wrong shape: it is {found.shape}")
    got = found.data.astype(np.float64)
    bounded = np.clip(exact, -128, 127)
    wrong = np.abs(got - bounded) > 0.5 + NEAR_HALF
    wrong |= (got != np.rint(got)) | (got < -128) | (got > 127)
    expect(not wrong.any(), f"{what} is wrong in {int(wrong.sum())} of {wrong.size} entries")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases: parameters, int8 values, and the way back."""
    subject = Quantiser(box)

    def numbers(*shape: int) -> Floats:
        return single(rng.normal(0.0, rng.uniform(0.5, 4.0), shape) + rng.uniform(-1.0, 1.0))

    def documented() -> None:
        x = single([-1.0, 0.0, 0.501, 1.55])
        note("x", x)
        scale, zero_point = subject.calibrates(x, None)
        q = box.call(subject.quantise, tensor(x), scale, zero_point)
        expect_close(q, np.array([-128, -28, 22, 127]), dtype="int8", what="the quantised tensor")
        back = box.call(subject.dequantise, q, scale, zero_point)
        expect_close(back, np.array([-1.0, 0.0, 0.5, 1.55]), rtol=1e-5, what="the dequantised tensor")

    def per_tensor() -> None:
        for x in (numbers(40), numbers(3, 4, 5), numbers(2, 3).T):
            subject.calibrates(x, None)

    def one_sided() -> None:
        for sign in (1.0, -1.0):
            x = single(sign * rng.uniform(2.0, 5.0, (4, 6)))
            scale, zero_point = subject.calibrates(x, None)
            zero = box.call(subject.quantise, tensor(np.zeros(3)), scale, zero_point)
            back = array(box.call(subject.dequantise, zero, scale, zero_point), "the dequantised zeros")
            expect(not back.data.any(), "0 does not come back as exactly 0")

    def per_channel() -> None:
        for shape, axis in (((4, 6), 0), ((5, 3), 1), ((2, 3, 4), -1), ((3, 2, 2, 2), 1), ((5,), 0)):
            x = numbers(*shape)
            x = single(x * spread(10.0 ** rng.permutation(x.shape[axis]), x.ndim, axis))
            subject.calibrates(x, axis)
            scale, zero_point = parameters(x, axis)
            subject.quantises(x, single(scale), np.rint(zero_point), axis)

    def all_zero() -> None:
        scale, zero_point = pair(box.call(subject.qparams, tensor(np.zeros((2, 3)))))
        expect_close(scale, np.array(1.0), dtype="float32", what="the scale of zeros")
        x = numbers(3, 4)
        x[1] = 0.0
        scale, zero_point = pair(box.call(subject.qparams, tensor(x), 0))
        expect(scale.shape == (3,) and scale.data[1] == 1.0, "the scale of a channel of zeros is wrong")
        back = array(box.call(subject.dequantise, tensor(np.zeros((3, 2)), "int8"), scale, zero_point, 0))
        expect(bool(np.isfinite(back.data).all()), "a channel of zeros spoils what is computed with it")

    def given() -> None:
        for shape in ((50,), (4, 5)):
            scale, zero_point = single(rng.uniform(0.02, 0.2)), np.asarray(float(rng.integers(-60, 60)))
            subject.quantises(numbers(*shape), scale, zero_point, None)

    def saturates() -> None:
        scale, zero_point = single(rng.uniform(0.01, 0.02)), np.asarray(float(rng.integers(-90, 90)))
        x = single(rng.uniform(4.0, 900.0, 12) * rng.choice([-1.0, 1.0], 12))
        subject.quantises(x, scale, zero_point, None)
        subject.quantises(np.array([np.inf, -np.inf, 1e30, -1e30]), scale, zero_point, None)

    def back() -> None:
        q = rng.integers(-128, 128, (3, 8)).astype(np.int8)
        q[0, 0], q[0, 1] = -128, 127
        for zero_point in (-128.0, 127.0, float(rng.integers(-100, 100))):
            subject.dequantises(q, single(rng.uniform(0.01, 2.0)), np.asarray(zero_point), None)
        cube = rng.integers(-128, 128, (2, 3, 2, 2)).astype(np.int8)
        for values, axis in ((q, 0), (q, 1), (q, -1), (cube, 0), (cube, 1), (cube, -2), (cube, 3)):
            count = values.shape[axis]
            zero_points = np.asarray(rng.integers(-128, 128, (count,)), dtype=np.float64)
            subject.dequantises(values, single(rng.uniform(0.01, 2.0, count)), zero_points, axis)

    def shapes() -> None:
        scale, zero_point = single(rng.uniform(0.02, 0.2)), np.asarray(float(rng.integers(-60, 60)))
        for x in (np.zeros((0,)), np.zeros((2, 0)), numbers(), numbers(1)):
            subject.quantises(x, scale, zero_point, None)
        x = numbers(4, 3)
        transposed = box.make(box.define("def transposed(x):\n    return x.t()", "transposed"), tensor(x))
        q = array(box.call(subject.quantise, transposed, *sent(scale, zero_point)), "the quantised tensor")
        same_steps(q, x.T / scale + zero_point, "the quantised tensor")
        expect_close(pair(box.call(subject.qparams, transposed, 1))[0], parameters(x, 0)[0], what="the scale")
        subject.dequantises(np.zeros((0, 2), np.int8), scale, zero_point, None)
        subject.dequantises(np.asarray(rng.integers(-9, 9), np.int8), scale, zero_point, None)
        one = numbers(1)
        one[0] = single(one[0] + 3.0 * np.sign(one[0]))
        subject.calibrates(one, None)

    def untouched() -> None:
        x = tensor(numbers(3, 4))
        held, scale, zero_point = box.keep(x), tensor(0.05), tensor(3, "int32")
        box.call(subject.qparams, held, 0)
        box.call(subject.quantise, held, scale, zero_point)
        expect_unchanged(box, held, x)
        q = tensor(rng.integers(-128, 128, (2, 5)), "int8")
        held = box.keep(q)
        box.call(subject.dequantise, held, scale, zero_point)
        expect_unchanged(box, held, q)

    yield case("documented-example", "the example of the question", documented, visible=True)
    yield case("per-tensor", "scale and zero point of hidden tensors", per_tensor)
    yield case("one-sided", "all numbers on one side of 0", one_sided)
    yield case("per-channel", "a scale and a zero point for each channel", per_channel)
    yield case("all-zero", "tensors and channels of zeros", all_zero)
    yield case("given-parameters", "int8 values for given scale and zero point", given)
    yield case("saturation", "numbers outside of the range", saturates)
    yield case("dequantise", "the way back, at all zero points", back)
    yield case("shapes", "no elements, one element, no dimensions, transposed", shapes)
    yield case("inputs-untouched", "inputs are not changed", untouched)
