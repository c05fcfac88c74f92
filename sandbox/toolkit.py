"""What a check is written with: cases, comparisons, and values on their way into a box.

A check runs in a trusted process, outside every box; what it compares came out of a box and is hostile data. Each
`case` runs one body and becomes one finding. In a hidden case nothing that tells the expected value leaves this
module: `why` names what differs (shape, dtype, NaN pattern, how many entries), never by how much, and the rows of
values are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np
import numpy.typing as npt

from domain import Array, Box, CandidateError, Case, Handle, Value

# dtype: (relative tolerance, smallest absolute tolerance). A number computed in a dtype through a few dozen
# operations stays well inside; a wrong formula does not.
TOLERANCE = {
    "float64": (1e-7, 1e-12),
    "complex128": (1e-7, 1e-12),
    "float32": (1e-4, 5e-7),
    "complex64": (1e-4, 5e-7),
    "float16": (5e-3, 1e-3),
    "bfloat16": (3e-2, 8e-3),
}
ROWS = 12
SHOWN = 24

_rows: ContextVar[list[tuple[str, str]] | None] = ContextVar("rows", default=None)


class Mismatch(Exception):  # noqa: N818  (it says what it found)
    """A candidate's value is not what it should be. `why` never tells the expected value; `values` may."""

    def __init__(self, why: str, values: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.values = tuple(values)


def case(name: str, aspect: str, body: Callable[[], None], visible: bool = False) -> Case:
    """Run `body` and report it as one case.

    It passes when the body returns. A `Mismatch` or a `CandidateError` fails it. So does an error in the body
    itself, since a value of an unforeseen kind can cause one (take values through `array` or `number` to say it
    better). What ends a whole run (a deadline, a broken protocol, a dead box) propagates.
    """
    rows: list[tuple[str, str]] = []
    token = _rows.set(rows)
    why = ""
    try:
        body()
        passed = True
    except Mismatch as mismatch:
        passed, why = False, mismatch.why
        rows.extend(row for row in mismatch.values if row not in rows)
    except CandidateError as error:
        where = f" (line {error.line})" if error.line else ""
        passed, why = False, f"raised {_short(str(error), 300)}{where}"
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, AssertionError) as error:
        passed, why = False, f"gave a value that the check could not use ({type(error).__name__})"
    finally:
        _rows.reset(token)
    return Case(name, aspect, passed, why, visible, tuple(rows[:ROWS]) if visible else ())


def note(label: str, value: object) -> None:
    """Add a row to show, if the case is visible; a hidden case drops it."""
    rows = _rows.get()
    if rows is not None and len(rows) < ROWS:
        row = (label, show(value))
        if row not in rows:
            rows.append(row)


def expect(condition: object, why: str, values: Iterable[tuple[str, object]] = ()) -> None:
    """Raise Mismatch with `why` unless the condition holds. `why` must not tell the expected value."""
    if not condition:
        raise Mismatch(why, [(label, show(value)) for label, value in values])


def expect_close(
    actual: Value,
    expected: object,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    dtype: str | None = None,
    what: str = "value",
    given: object = None,
) -> None:
    """Compare a candidate's value with a trusted one: kind, shape, dtype if given, NaN and Inf pattern, closeness.

    `expected` is a number, a numpy array, a torch tensor or a list of these. Compared in float64 (complex128):
    |actual - expected| <= atol + rtol * |expected| for each entry. Where `rtol` and `atol` are not given, they
    follow from the actual's dtype (half precision counts as float32 unless `dtype` is given), and atol also from the
    largest expected magnitude; a plain number counts as float32, since it may come from one. Whole numbers must be
    equal. `given` is the input to show in a visible case. Raises Mismatch.
    """
    if given is not None:
        note("input", given)
    if isinstance(expected, list | tuple) and any(not _is_number(item) for item in expected):
        if not isinstance(actual, list | tuple) or len(actual) != len(expected):
            raise Mismatch(f"{what} should be a sequence of {len(expected)} items, and is {kind(actual)}")
        for index, (got, wanted) in enumerate(zip(actual, expected, strict=True)):
            expect_close(got, wanted, rtol=rtol, atol=atol, dtype=dtype, what=f"{what}[{index}]")
        return
    reference = _reference(expected)
    got_array, got_dtype = _numbers(actual, what)
    note("expected" if what == "value" else f"expected {what}", reference)
    note("got" if what == "value" else f"got {what}", actual)
    if dtype is not None and (not isinstance(actual, Array) or actual.dtype != dtype):
        raise Mismatch(f"{what} has the wrong dtype: it is {got_dtype if isinstance(actual, Array) else kind(actual)}")
    if got_array.shape != reference.shape:
        raise Mismatch(f"{what} has the wrong shape: it is {_shape(got_array.shape)}")
    wide: type[np.complex128] | type[np.float64] = (
        np.complex128 if "c" in (got_array.dtype.kind, reference.dtype.kind) else np.float64
    )
    if got_array.dtype.kind in "iub" and reference.dtype.kind in "iub":
        _report(got_array != reference, what)
        return
    # A submission chooses the dtype that it answers in: half precision gets its wide tolerance only where asked for.
    judged_as = "float32" if dtype is None and got_dtype in ("float16", "bfloat16") else got_dtype
    _report(~_close(got_array.astype(wide), reference.astype(wide), judged_as, rtol, atol), what)


def _close(
    got: npt.NDArray[Any], wanted: npt.NDArray[Any], dtype: str, rtol: float | None, atol: float | None
) -> npt.NDArray[np.bool_]:
    finite = np.isfinite(wanted)
    relative, floor = TOLERANCE.get(dtype, TOLERANCE["float32"])
    relative = relative if rtol is None else rtol
    if atol is None:
        scale = float(np.abs(wanted[finite]).max()) if finite.any() else 0.0
        atol = max(floor, relative / 10 * scale)
    with np.errstate(all="ignore"):
        near = np.isfinite(got) & finite & (np.abs(got - wanted) <= atol + relative * np.abs(wanted))
        same = (np.isnan(got) & np.isnan(wanted)) | (np.isinf(got) & np.isinf(wanted) & (got == wanted))
    return np.asarray(near | same, dtype=np.bool_)


def _report(wrong: npt.NDArray[np.bool_], what: str) -> None:
    count, total = int(np.count_nonzero(wrong)), wrong.size
    if count:
        raise Mismatch(f"{what} is wrong" if total == 1 else f"{what} is wrong in {count} of {total} entries")


def expect_unchanged(box: Box, handle: Handle, before: Array, what: str = "the input") -> None:
    """Raise Mismatch unless the object in the box still equals `before`, bit for bit (NaN equals NaN)."""
    after = array(box.value(handle), what)
    if after.dtype != before.dtype or after.shape != before.shape:
        raise Mismatch(f"{what} was changed: its shape or dtype is different now")
    if not np.array_equal(after.data, before.data, equal_nan=after.data.dtype.kind in "fc"):
        raise Mismatch(f"{what} was changed in place")


def numerical_gradient(
    box: Box,
    function: Handle,
    inputs: Sequence[Array],
    cotangent: Array | npt.ArrayLike,
    step: float = 1e-6,
) -> list[npt.NDArray[np.float64]]:
    """Central differences of sum(cotangent * function(*inputs)), the candidate's own forward, in float64.

    One array for each input, of its shape; zeros for inputs that hold whole numbers. The step for an entry x is
    `step * max(1, |x|)`. Costs two calls an entry. Raises Mismatch when the function does not give a tensor of the
    cotangent's shape.
    """
    weights = np.asarray(cotangent.data if isinstance(cotangent, Array) else cotangent, dtype=np.float64)
    points = [np.array(item.data, dtype=np.float64 if item.data.dtype.kind == "f" else None) for item in inputs]

    def forward(values: list[npt.NDArray[Any]]) -> float:
        sent = [
            Array(value.copy(), "float64" if value.dtype.kind == "f" else item.dtype, item.role)
            for value, item in zip(values, inputs, strict=True)
        ]
        result = array(box.call(function, *sent), "the result")
        expect(result.shape == weights.shape, f"the result has the wrong shape: it is {_shape(result.shape)}")
        return float((result.data.astype(np.float64) * weights).sum())

    gradients: list[npt.NDArray[np.float64]] = []
    for point in points:
        gradient = np.zeros(point.shape, dtype=np.float64)
        for index in np.ndindex(point.shape) if point.dtype.kind == "f" else ():
            saved = point[index]
            width = step * max(1.0, abs(float(saved)))
            point[index] = saved + width
            above = forward(points)
            point[index] = saved - width
            below = forward(points)
            point[index] = saved
            gradient[index] = (above - below) / (2 * width)
        gradients.append(gradient)
    return gradients


def tensor(data: npt.ArrayLike, dtype: str = "float32", requires_grad: bool = False) -> Array:
    """A framework tensor to send in (torch.Tensor or tf.Tensor). `requires_grad` matters to PyTorch alone."""
    return Array(_typed(data, dtype), dtype, "tensor", requires_grad)


def variable(data: npt.ArrayLike, dtype: str = "float32") -> Array:
    """A tf.Variable to send in; in a PyTorch box a leaf tensor that requires grad."""
    return Array(_typed(data, dtype), dtype, "variable", True)


def ndarray(data: npt.ArrayLike, dtype: str | None = None) -> Array:
    """A numpy array to send in; its dtype is that of the data where not given."""
    values = np.asarray(data) if dtype is None else np.asarray(data, dtype=dtype)
    return Array(values, str(values.dtype), "ndarray")


def array(value: Value, what: str = "the result") -> Array:
    """The value, if it is a tensor or an array; else Mismatch."""
    if not isinstance(value, Array):
        raise Mismatch(f"{what} should be a tensor, and is {kind(value)}")
    return value


def number(value: Value, what: str = "the result") -> float:
    """The value as a float, if it is a number or a tensor of one element; else Mismatch."""
    if isinstance(value, Array) and value.data.size == 1 and value.data.dtype.kind in "fiub":
        return float(value.data.reshape(())[()])
    if isinstance(value, bool | int | float):
        return float(value)
    raise Mismatch(f"{what} should be one number, and is {kind(value)}")


def kind(value: object) -> str:
    """What a value is, in words: "a float32 tensor of shape (2, 3)", "a list of 3", "an object of type Foo"."""
    if isinstance(value, Array):
        noun = {"tensor": "tensor", "variable": "variable", "ndarray": "numpy array"}[value.role]
        return f"a {value.dtype} {noun} of shape {_shape(value.shape)}"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Handle):
        return f"an object of type {_short(value.type_name, 60)}" if value.type_name else "an object"
    return "None" if value is None else f"a {type(value).__name__}"


def show(value: object) -> str:
    """A value as short text: at most 24 numbers of an array, at most 400 characters in all."""
    if isinstance(value, Array):
        text = f"{_array_text(value.data)}  ({value.dtype}, shape {_shape(value.shape)})"
    elif isinstance(value, np.ndarray):
        text = _array_text(value)
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(show(item) for item in value[:SHOWN]) + (", …]" if len(value) > SHOWN else "]")
    elif isinstance(value, float):
        text = f"{value:.7g}"
    else:
        text = str(value)
    return _short(text, 400)


def _array_text(data: npt.NDArray[Any]) -> str:
    if data.size <= SHOWN:
        return np.array2string(data, precision=6, separator=", ", max_line_width=100)
    flat = np.array2string(data.reshape(-1)[:SHOWN], precision=6, separator=", ", max_line_width=100)
    return flat[:-1] + ", …]"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _shape(shape: Sequence[int]) -> str:
    return "(" + ", ".join(str(size) for size in shape) + (",)" if len(shape) == 1 else ")")


def _is_number(item: object) -> bool:
    if isinstance(item, list | tuple):
        return all(_is_number(part) for part in item)
    return isinstance(item, bool | int | float | complex | np.generic)


def _reference(expected: object) -> npt.NDArray[Any]:
    if isinstance(expected, Array):
        return np.asarray(expected.data)
    if hasattr(expected, "detach"):  # a torch tensor, without importing torch here
        plain = expected.detach().cpu()
        return np.asarray(plain.double().numpy() if str(plain.dtype) == "torch.bfloat16" else plain.numpy())
    return np.asarray(expected)


def _numbers(actual: Value, what: str) -> tuple[npt.NDArray[Any], str]:
    """The candidate's value as numbers, and the dtype whose tolerance it gets. Raises Mismatch if it is no number."""
    if isinstance(actual, Array):
        return np.asarray(actual.data), actual.dtype
    if isinstance(actual, bool | int | float | list | tuple) and _is_number(actual):
        try:
            values = np.asarray(actual)
        except ValueError:
            values = np.asarray(None)
        if values.dtype.kind in "fiubc":
            return values, "float32"
    raise Mismatch(f"{what} should be numbers, and is {kind(actual)}")


def _typed(data: npt.ArrayLike, dtype: str) -> npt.NDArray[Any]:
    """The data in that dtype. bfloat16 is float32 whose values are rounded (to nearest even) to what bfloat16 holds."""
    if dtype != "bfloat16":
        return np.array(data, dtype=dtype)
    wide = np.array(data, dtype=np.float32)
    bits = wide.view(np.uint32) if wide.shape else wide.reshape(1).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) & np.uint32(0xFFFF0000)).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(wide), wide, rounded.reshape(wide.shape)).astype(np.float32)
