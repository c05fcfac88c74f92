"""Checks pad_collate(samples, padding_value) and masked_mean(values, mask) against numpy.

Sequences stay in the box, so that it shows whether they were changed or share memory with the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, kind, note, tensor

HELPERS = """
def overwrite(x):
    x.fill_(7)


def every_other(x):
    return x.repeat_interleave(2, dim=0)[::2]


def loader(samples, collate, size):
    return torch.utils.data.DataLoader(samples, batch_size=size, collate_fn=collate)


def mean_with(mean, mask):
    return lambda values: mean(values, mask)
"""

Sequences = Sequence[npt.NDArray[np.float64]]


def padded(sequences: Sequences, value: float) -> npt.NDArray[np.float64]:
    """(samples, longest, …) with `value` after the end of each."""
    longest = max((len(item) for item in sequences), default=0)
    result = np.full((len(sequences), longest, *sequences[0].shape[1:]), value, dtype=np.float64)
    for row, item in zip(result, sequences, strict=True):
        row[: len(item)] = item
    return result


def real(sequences: Sequences) -> npt.NDArray[np.bool_]:
    """(samples, longest): true where there is a real element."""
    longest = max((len(item) for item in sequences), default=0)
    return np.arange(longest) < np.array([[len(item)] for item in sequences])


class Subject:
    """The candidate's two functions."""

    def __init__(self, box: Box) -> None:
        self.box = box
        module = box.load()
        self.collate, self.mean = (box.get(module, name) for name in ("pad_collate", "masked_mean"))

    def batch(self, samples: Sequence[tuple[Value, int]], *options: Value) -> tuple[Value, Value, Value]:
        """What pad_collate makes of them: three things."""
        return self.three(self.box.call(self.collate, list(samples), *options))

    @staticmethod
    def three(result: Value) -> tuple[Value, Value, Value]:
        """A result, which must be three things."""
        expect(isinstance(result, tuple | list) and len(result) == 3, f"should give three things, not {kind(result)}")
        assert isinstance(result, tuple | list)
        return result[0], result[1], result[2]

    def compare(
        self, found: tuple[Value, Value, Value], sequences: Sequences, labels: Sequence[int], dtype: str, value: float
    ) -> None:
        """Values, dtypes and shapes of a batch."""
        expect_close(found[0], padded(sequences, value), dtype=dtype, rtol=0, atol=0, what="the padded sequences")
        expect_close(found[1], real(sequences), dtype="bool", what="the mask")
        expect_close(found[2], np.array(labels, dtype=np.int64), dtype="int64", what="the labels")

    def gives(
        self, sequences: Sequences, dtype: str = "int64", value: float | None = None
    ) -> list[tuple[Handle, Array]]:
        """Collate these sequences with labels of their own, and compare. The sequences as they are in the box."""
        sent = [tensor(item, dtype) for item in sequences]
        held = [self.box.keep(item) for item in sent]
        labels = [(7 * index) % 5 for index in range(len(sent))]
        samples = list(zip(held, labels, strict=True))
        found = self.batch(samples, *(() if value is None else (value,)))
        self.compare(found, sequences, labels, dtype, value or 0)
        return list(zip(held, sent, strict=True))


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    subject = Subject(box)

    def tokens(*lengths: int) -> list[npt.NDArray[np.float64]]:
        """Sequences of ids, among them zeros: the padding value may be a real token."""
        return [rng.integers(0, 4, length).astype(np.float64) for length in lengths]

    def floats(*shapes: tuple[int, ...]) -> list[npt.NDArray[np.float64]]:
        return [rng.normal(size=shape).astype(np.float32).astype(np.float64) for shape in shapes]

    def documented() -> None:
        note("samples", "([5, 6, 7], 1) and ([8], 0)")
        subject.gives([np.array([5.0, 6, 7]), np.array([8.0])])
        values = tensor([[1.0, 2.0, 3.0], [9.0, 5.0, 5.0]])
        mask = tensor([[True, True, True], [True, False, False]], "bool")
        expect_close(box.call(subject.mean, values, mask), np.array([2.0, 9.0]), what="the means")

    def lengths() -> None:
        subject.gives(tokens(3, 5, 1, 4))
        subject.gives(tokens(2, 7))
        subject.gives(tokens(4, 4, 4))

    def real_zeros() -> None:
        sequences = tokens(4, 3, 6)
        for item in sequences:
            item[-1] = item[0] = 0
        subject.gives(sequences)
        subject.gives([np.zeros(2), np.zeros(5)])

    def padding_value() -> None:
        subject.gives(tokens(3, 1, 5), value=-100)
        subject.gives(floats((2,), (4,)), "float32", value=float(rng.integers(2, 9)))
        subject.gives(tokens(2, 3), value=0)

    def dtypes() -> None:
        subject.gives(tokens(2, 3), "int32")
        subject.gives(floats((3,), (1,)), "float32")
        subject.gives(floats((2,), (4,)), "float64", value=0.5)
        subject.gives([np.array([1.0, 0, 1]), np.array([1.0])], "bool")

    def features() -> None:
        subject.gives(floats((3, 2), (5, 2), (1, 2)), "float32")
        subject.gives(floats((2, 3, 2), (4, 3, 2)), "float32", value=-1.0)

    def short() -> None:
        subject.gives(tokens(0, 3))
        subject.gives(tokens(2))
        subject.gives(tokens(0))
        subject.gives(tokens(1, 1))
        subject.gives([np.zeros((0, 2)), np.ones((2, 2))], "float32")

    def untouched() -> None:
        for sequences in (tokens(3, 5), tokens(4, 4), tokens(6)):
            for handle, before in subject.gives(sequences):
                expect_unchanged(box, handle, before, "a sequence")

    def own_memory() -> None:
        overwrite = box.define(HELPERS, "overwrite")
        for sequences in (tokens(3, 5), tokens(4, 4), tokens(6)):
            held = [box.keep(tensor(item, "int64")) for item in sequences]
            made = box.make(subject.collate, [(handle, 1) for handle in held])
            for handle in held:
                box.call(overwrite, handle)
            subject.compare(subject.three(box.value(made)), sequences, [1] * len(held), "int64", 0)

    def strided() -> None:
        sequences = tokens(3, 5)
        turn = box.define(HELPERS, "every_other")
        held = [box.make(turn, tensor(item, "int64")) for item in sequences]
        found = subject.batch([(handle, 2) for handle in held])
        subject.compare(found, sequences, [2, 2], "int64", 0)

    def in_a_loader() -> None:
        sequences = tokens(2, 5, 1, 3, 4)
        labels = [int(label) for label in rng.integers(0, 9, 5)]
        samples: Value = [(tensor(item, "int64"), label) for item, label in zip(sequences, labels, strict=True)]
        loader = box.make(box.define(HELPERS, "loader"), samples, subject.collate, 2)
        batches = box.iterate(loader, 4)
        expect(len(batches) == 3, f"five samples in twos should be three batches, and are {len(batches)}")
        for index, batch in enumerate(batches):
            part = slice(2 * index, 2 * index + 2)
            subject.compare(subject.three(batch), sequences[part], labels[part], "int64", 0)

    def mean(shape: tuple[int, ...], keep: Sequence[int], dtype: str = "float32", bad: float = 1e4) -> None:
        """Compare masked_mean where row i has keep[i] real elements, and `bad` stands in all the others."""
        values = rng.normal(size=shape).astype(np.float32).astype(np.float64)
        mask = np.arange(shape[1]) < np.array(keep).reshape(-1, 1)
        values[~mask] = bad
        expected = np.zeros((shape[0], *shape[2:]))
        for row, count in enumerate(keep):
            if count:
                expected[row] = values[row, :count].mean(axis=0)
        found = box.call(subject.mean, tensor(values, dtype), tensor(mask, "bool"))
        expect_close(found, expected, dtype=dtype, rtol=1e-10 if dtype == "float64" else None, what="the means")

    def means() -> None:
        mean((3, 5), (5, 2, 3))
        mean((2, 4), (1, 4), "float64")

    def means_of_features() -> None:
        mean((3, 4, 2), (4, 1, 3))
        mean((4, 4, 4), (2, 1, 4, 3))

    def nothing_real() -> None:
        mean((3, 4), (0, 4, 2))
        mean((2, 3, 2), (0, 0))
        mean((2, 0), (0, 0))

    def bad_padding() -> None:
        mean((3, 4), (3, 1, 4), bad=float("nan"))
        mean((2, 4, 3), (0, 2), bad=float("inf"))

    def holes() -> None:
        values = rng.normal(size=(2, 5)).astype(np.float32).astype(np.float64)
        mask = np.array([[False, True, False, True, True], [True, False, False, False, True]])
        expected = np.array([row[kept].mean() for row, kept in zip(values, mask, strict=True)])
        found = box.call(subject.mean, tensor(values), tensor(mask, "bool"))
        expect_close(found, expected, dtype="float32", what="the means")

    def gradient() -> None:
        for keep in ((3, 1), (0, 4)):
            values = rng.normal(size=(2, 4))
            mask = np.arange(4) < np.array(keep).reshape(-1, 1)
            values[~mask] = np.nan
            function = box.make(box.define(HELPERS, "mean_with"), subject.mean, tensor(mask, "bool"))
            weights = rng.uniform(0.5, 2.0, (2, 1))
            found = box.vjp(function, [tensor(values, requires_grad=True)], [tensor(weights[:, 0])]).gradients[0]
            expected = np.where(mask, weights / np.maximum(np.array(keep), 1).reshape(-1, 1), 0.0)
            expect_close(array(found, "the gradient"), expected, what="the gradient")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("lengths", "sequences of different and of equal length", lengths)
    yield case("real-zeros", "real elements that equal the padding", real_zeros)
    yield case("padding-value", "another padding value", padding_value)
    yield case("dtypes", "the dtype of the sequences", dtypes)
    yield case("features", "sequences of vectors and of matrices", features)
    yield case("short", "empty sequences and single samples", short)
    yield case("untouched", "that the sequences are left alone", untouched)
    yield case("own-memory", "sequences that are overwritten after collating", own_memory)
    yield case("non-contiguous", "sequences that are not contiguous", strided)
    yield case("in-a-loader", "batches from a DataLoader", in_a_loader)
    yield case("means", "masked_mean of numbers", means)
    yield case("means-of-features", "masked_mean of vectors", means_of_features)
    yield case("nothing-real", "rows without a real element", nothing_real)
    yield case("bad-padding", "nan and infinity in padded places", bad_padding)
    yield case("holes", "a mask with holes", holes)
    yield case("gradient", "the gradient through masked_mean", gradient)
