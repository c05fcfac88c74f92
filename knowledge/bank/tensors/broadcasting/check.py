"""Checks result_shape(*shapes) against numpy, and unbroadcast(gradient, shape) against float64 sums.

PyTorch's own functions for both are switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, CandidateError, Case, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, kind, note, tensor

SETUP = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("this function is switched off: do it yourself")
    import sys
    import numpy
    for holder, names in (
        (torch, ("broadcast_shapes", "broadcast_tensors")),
        (torch.functional, ("broadcast_shapes", "broadcast_tensors")),
        (torch.Tensor, ("sum_to_size", "expand", "expand_as", "broadcast_to")),
        (numpy, ("broadcast_shapes", "broadcast_arrays", "broadcast_to", "broadcast")),
    ):
        for name in names:
            setattr(holder, name, refuse)
    torch.broadcast_to = refuse


def strided(x):
    return x.transpose(0, 1).contiguous().transpose(0, 1)


def outcome(function, shapes):
    try:
        return list(function(*[tuple(shape) for shape in shapes]))
    except ValueError:
        return "ValueError"
"""

Shape = tuple[int, ...]
Floats = npt.NDArray[np.float64]


def summed(gradient: Floats, shape: Shape) -> Floats:
    """The gradient for an operand of that shape."""
    extra = gradient.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        extra + axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[extra + axis] != 1
    )
    return np.asarray(gradient.sum(axis=axes)).reshape(shape)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SETUP, "switch_off"))
    module = box.load()
    result_shape, unbroadcast = (box.get(module, name) for name in ("result_shape", "unbroadcast"))
    outcome = box.define(SETUP, "outcome")

    def size(least: int = 2) -> int:
        return int(rng.integers(least, 6))

    def shape_is(*shapes: Shape) -> None:
        found = box.call(result_shape, *shapes)
        note("shapes", shapes)
        expect(isinstance(found, tuple), f"the shape should be a tuple, and is {kind(found)}")
        assert isinstance(found, tuple)
        expect(found == np.broadcast_shapes(*shapes), "the shape is wrong")

    def refused(*shapes: Shape) -> None:
        sent: Value = [list(shape) for shape in shapes]
        try:
            found = box.call(outcome, result_shape, sent)
        except CandidateError as error:
            raise Mismatch("shapes that do not fit should raise ValueError and nothing else") from error
        expect(found == "ValueError", "shapes that do not fit should raise ValueError")

    def gradient_is(full: Shape, shape: Shape, dtype: str = "float32") -> None:
        values = rng.normal(size=full).astype(np.float32).astype(np.float64)
        kept = box.keep(tensor(values, dtype))
        found = box.call(unbroadcast, kept, shape)
        rtol = 1e-10 if dtype == "float64" else None
        expect_close(found, summed(values, shape), dtype=dtype, rtol=rtol, what="the gradient")
        expect_unchanged(box, kept, tensor(values, dtype), "the gradient that was given")

    def documented() -> None:
        shape_is((3, 1, 4), (2, 1))
        note("gradient", "[[1, 2], [3, 4], [5, 6]]")
        for shape, wanted in (((2,), [9.0, 12.0]), ((3, 1), [[3.0], [7.0], [11.0]])):
            found = box.call(unbroadcast, tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), shape)
            expect_close(found, np.array(wanted), dtype="float32", what=f"for the shape {shape}")

    def two_shapes() -> None:
        one, two, three = size(), size(), size()
        shape_is((one, two), (one, two))
        shape_is((one, 1), (1, two))
        shape_is((one, two, three), (one, 1, 1))
        shape_is((1, two, 1), (one, 1, three))

    def other_rank() -> None:
        one, two, three = size(), size(), size()
        shape_is((one, two, three), (three,))
        shape_is((three,), (one, two, 1))
        shape_is((two, 1), (one, 1, three))
        shape_is((), (one, two))
        shape_is((one,), ())

    def several() -> None:
        one, two, three = size(), size(), size()
        shape_is((one, 1, 1), (two, 1), (three,))
        shape_is((three,), (1,), (one, 1, three), (two, 1))
        shape_is((one, two))
        shape_is(())

    def misfits() -> None:
        one = size()
        refused((one, one + 1), (one,))
        refused((one,), (one + 1,))
        refused((one, 3), (one + 1, 3))
        refused((2, one), (4, one))  # 4 is a multiple of 2, and does not fit
        refused((1, one), (one, 1), (one + 1, 1))
        refused((2,), (1,), (3,))

    def zero_sizes() -> None:
        one = size()
        shape_is((0, one), (1, one))
        shape_is((one, 0), (one, 1))
        shape_is((0,), ())
        shape_is((one, 1, 0), (0,))
        refused((0,), (one,))
        refused((one, one), (one, 0))

    def missing_axes() -> None:
        one, two, three = size(), size(), size()
        gradient_is((one, two), (two,))
        gradient_is((one, two, three), (three,))
        gradient_is((one, two, three), (two, three))

    def stretched_axes() -> None:
        one, two, three = size(), size(), size()
        gradient_is((one, two), (one, 1))
        gradient_is((one, two), (1, two))
        gradient_is((one, two, three), (one, 1, three))
        gradient_is((one, two, three), (1, two, 1))

    def both() -> None:
        one, two, three = size(), size(), size()
        gradient_is((one, two, three), (two, 1))
        gradient_is((one, two, three), (1, three))
        gradient_is((one, two, two, three), (1, two, 1))
        gradient_is((two, two, two), (1, two))

    def nothing_to_sum() -> None:
        one, two = size(), size()
        gradient_is((one, two), (one, two))
        gradient_is((1, two), (1, two))
        gradient_is((1, two), (two,))
        gradient_is((), ())

    def scalars() -> None:
        gradient_is((size(), size()), ())
        gradient_is((size(), size()), (1,))
        gradient_is((size(), size()), (1, 1))
        gradient_is((1, 1), ())

    def empty() -> None:
        one = size()
        gradient_is((0, one), (one,))
        gradient_is((0, one), (1, one))
        gradient_is((one, 0), (one, 1))
        gradient_is((one, 0), (one, 0))
        gradient_is((one, 0), (0,))

    def float64() -> None:
        gradient_is((size(), size(), size()), (1,), "float64")
        values = rng.normal(size=(4, 3))
        found = box.call(unbroadcast, tensor(values, "float64"), (1, 3))
        expect_close(found, summed(values, (1, 3)), dtype="float64", rtol=1e-12, what="the gradient")

    def strided() -> None:
        values = rng.normal(size=(3, 4, 2)).astype(np.float32).astype(np.float64)
        turned = box.make(box.define(SETUP, "strided"), tensor(values))
        found = array(box.call(unbroadcast, turned, (4, 1)))
        expect_close(found, summed(values, (4, 1)), dtype="float32", what="the gradient")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("two-shapes", "two shapes of the same rank", two_shapes)
    yield case("other-rank", "shapes of different rank", other_rank)
    yield case("several-shapes", "one shape, and more than two", several)
    yield case("misfits", "shapes that do not fit", misfits)
    yield case("zero-sizes", "dimensions of size zero", zero_sizes)
    yield case("missing-axes", "the gradient for an operand of lower rank", missing_axes)
    yield case("stretched-axes", "the gradient for an operand with sizes of one", stretched_axes)
    yield case("both", "the gradient where both come together", both)
    yield case("nothing-to-sum", "the gradient where nothing was broadcast", nothing_to_sum)
    yield case("scalars", "the gradient for single numbers", scalars)
    yield case("empty", "gradients without elements", empty)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("non-contiguous", "a gradient that is not contiguous", strided)
