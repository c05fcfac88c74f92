"""to_tensor(array, copy): values, dtype and shape of the tensor, and whose memory it has.

Arrays are made and kept in the box, since strides, byte order and flags do not cross the border. Who shares memory
with whom is found by writing to one side and reading the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, CandidateError, Case, Handle
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, ndarray, note

# Each of them makes another array of the values it is given: a layout that PyTorch can or cannot look at.
LAYOUTS = """
def plain(a): return a
def transposed(a): return a.T
def every_other(a): return a[:, ::2]
def offset(a): return a[1:, 1:]
def fortran(a): return np.asfortranarray(a)
def reversed_rows(a): return a[::-1]
def reversed_columns(a): return a[:, ::-1]
def swapped_bytes(a): return a.astype(a.dtype.newbyteorder())
def field(a):
    records = np.zeros(a.shape, dtype=[("flag", "i1"), ("value", a.dtype)])
    records["value"] = a
    return records["value"]
def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a
def broadcast(a): return np.broadcast_to(a[0], a.shape)
def poke(x, number): x[(0,) * x.ndim] = number
def writeable(a): return bool(a.flags.writeable)
def is_plain_leaf(t): return isinstance(t, torch.Tensor) and t.is_leaf and not t.requires_grad
"""
SHAREABLE = ("plain", "transposed", "every_other", "offset", "fortran")
NOT_SHAREABLE = ("reversed_rows", "reversed_columns", "swapped_bytes", "field", "read_only", "broadcast")
# Values exact in each dtype, so that a detour through another one shows.
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64")


class Pair(NamedTuple):
    """An array in the box, what it holds, and the tensor that the candidate made of it (kept in the box, too)."""

    source: Handle
    before: Array
    tensor: Handle


class Subject:
    """The candidate's to_tensor, called on arrays of a chosen layout."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.to_tensor = box.get(box.load(), "to_tensor")
        self.poke = box.define(LAYOUTS, "poke")

    def lay(self, values: npt.NDArray[np.generic], layout: str) -> Handle:
        """An array in the box, of these values, or of a part of them, in that layout."""
        return self.box.make(self.box.define(LAYOUTS, layout), ndarray(values))

    def convert(self, values: npt.NDArray[np.generic], layout: str, copy: bool | None) -> Pair:
        """Convert, and compare values, shape and dtype."""
        source = self.lay(values, layout)
        before = array(self.box.value(source))
        made = self.box.make(self.to_tensor, source, copy=copy)
        result = array(self.box.value(made))
        expect(result.role == "tensor", "the result should be a torch tensor")
        expect(result.dtype == before.dtype, f"the tensor has the wrong dtype: it is {result.dtype}")
        expect_close(result, before.data, what="the tensor", rtol=0, atol=0)
        leaf = self.box.call(self.box.define(LAYOUTS, "is_plain_leaf"), made)
        expect(leaf is True, "the tensor should be a leaf that does not require grad")
        return Pair(source, before, made)

    def first(self, item: Handle) -> object:
        """The first entry of an array or a tensor, as it is now."""
        return array(self.box.value(item)).data.reshape(-1)[0]

    def expect_shared(self, pair: Pair) -> None:
        """A write to either side must show on the other."""
        self.box.call(self.poke, pair.source, 77)
        expect(self.first(pair.tensor) == 77, "a later write to the array does not show in the tensor")
        self.box.call(self.poke, pair.tensor, 55)
        expect(self.first(pair.source) == 55, "a write to the tensor does not show in the array")

    def expect_independent(self, pair: Pair) -> None:
        """A write to the tensor must not show in the array, nor, where the array may be written, the other way."""
        self.box.call(self.poke, pair.tensor, 55)
        expect(self.first(pair.tensor) == 55, "the tensor could not be written to")
        expect_unchanged(self.box, pair.source, pair.before, "the array")
        if self.box.call(self.box.define(LAYOUTS, "writeable"), pair.source) is True:
            self.box.call(self.poke, pair.source, 77)
            expect(self.first(pair.tensor) == 55, "a later write to the array shows in the tensor")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    subject = Subject(box)

    def numbers(*shape: int, dtype: str = "float64") -> npt.NDArray[np.generic]:
        """Numbers that are not 55 or 77, with more digits than float32 holds where the dtype has them."""
        if dtype == "bool":
            return np.asarray(rng.random(shape) < 0.5)
        if np.dtype(dtype).kind in "iu":
            high = min(int(np.iinfo(dtype).max), 2**62)
            return np.asarray(rng.integers(high - 20, high, shape), dtype=dtype)
        values = rng.uniform(1, 9, shape) + (1j * rng.uniform(1, 9, shape) if dtype == "complex64" else 0)
        return np.asarray(values, dtype=dtype)

    def documented() -> None:
        values = np.array([1.5, 2.5, 3.5])
        note("array", values)
        for copy in (False, True):
            pair = subject.convert(values, "plain", copy)
            box.call(subject.poke, pair.source, 10.0)
            expected = np.array([1.5 if copy else 10.0, 2.5, 3.5])
            what = f"the tensor for copy={copy}, after array[0] = 10"
            expect_close(box.value(pair.tensor), expected, dtype="float64", what=what)

    def values() -> None:
        for copy in (True, False, None):
            for shape in ((5,), (3, 4), (2, 1, 3)):
                subject.convert(numbers(*shape), "plain", copy)

    def dtypes() -> None:
        for name in DTYPES:
            for copy in (True, None):
                subject.convert(numbers(2, 3, dtype=name), "plain", copy)

    def shapes() -> None:
        for copy in (True, False, None):
            for shape in ((), (1,), (0,), (2, 0, 3)):
                subject.convert(numbers(*shape), "plain", copy)

    def owns() -> None:
        for layout in SHAREABLE:
            subject.expect_independent(subject.convert(numbers(4, 5), layout, True))
        subject.expect_independent(subject.convert(numbers(), "plain", True))

    def copies_awkward() -> None:
        for layout in NOT_SHAREABLE:
            subject.expect_independent(subject.convert(numbers(4, 5), layout, True))

    def shares() -> None:
        for copy in (False, None):
            subject.expect_shared(subject.convert(numbers(6), "plain", copy))
            subject.expect_shared(subject.convert(numbers(), "plain", copy))
            subject.expect_shared(subject.convert(numbers(3, 2, dtype="float32"), "plain", copy))

    def shares_views() -> None:
        for layout in SHAREABLE:
            for copy in (False, None):
                subject.expect_shared(subject.convert(numbers(4, 5), layout, copy))

    def refuses(*layouts: str) -> None:
        for layout in layouts:
            source = subject.lay(numbers(4, 5), layout)
            try:
                box.make(subject.to_tensor, source, copy=False)
            except CandidateError as error:
                expect(error.type_name == "ValueError", "raised another error than a ValueError")
            else:
                raise Mismatch("an array whose memory cannot be shared was accepted with copy=False")

    def falls_back() -> None:
        for layout in NOT_SHAREABLE:
            subject.expect_independent(subject.convert(numbers(4, 5), layout, None))

    def untouched() -> None:
        for layout in ("plain", "read_only", "reversed_rows", "swapped_bytes"):
            pair = subject.convert(numbers(3, 4), layout, None)
            expect_unchanged(box, pair.source, pair.before, "the array")
            writes = box.call(box.define(LAYOUTS, "writeable"), pair.source)
            expect(writes is (layout != "read_only"), "the array's writeable flag was changed")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("values", "values, shape and float64 kept", values)
    yield case("dtypes", "dtypes of every kind", dtypes)
    yield case("shapes", "arrays without dimensions, with one element, and empty", shapes)
    yield case("owns-its-memory", "copy=True gives memory of its own", owns)
    yield case("copies-any-layout", "copy=True for reversed, byte-swapped and read-only arrays", copies_awkward)
    yield case("shares-memory", "copy=False and copy=None share the memory", shares)
    yield case("shares-views", "strided and transposed views are shared, too", shares_views)
    yield case("refuses-layout", "copy=False where the layout forbids to share", lambda: refuses(*NOT_SHAREABLE[:4]))
    yield case("refuses-read-only", "copy=False on read-only memory", lambda: refuses(*NOT_SHAREABLE[4:]))
    yield case("falls-back-to-a-copy", "copy=None copies what cannot be shared", falls_back)
    yield case("array-untouched", "the array and its flags are left alone", untouched)
