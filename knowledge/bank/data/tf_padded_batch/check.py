"""Checks padded_batches(sequences, labels, batch_size, padding_value) and masked_mean(values, mask) against numpy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, kind, ndarray, note, tensor

HELPERS = """
def shapes(dataset):
    return [list(spec.shape) for spec in dataset.element_spec]


def compiled(mean, rank):
    values = tf.TensorSpec([None] * rank, tf.float32)
    return tf.function(mean, input_signature=[values, tf.TensorSpec([None, None], tf.bool)])


def mean_with(mean, mask):
    return lambda values: mean(values, mask)


def total_length(dataset):
    @tf.autograph.experimental.do_not_convert
    def add(total, batch):
        return total + tf.math.count_nonzero(batch[1])

    @tf.function(autograph=False)
    def count():
        return dataset.reduce(tf.constant(0, tf.int64), add)

    return count()
"""

Array1 = npt.NDArray[Any]


class Subject:
    """The candidate's two functions."""

    def __init__(self, box: Box) -> None:
        self.box = box
        module = box.load()
        self.make, self.mean = (box.get(module, name) for name in ("padded_batches", "masked_mean"))

    def dataset(self, sequences: Sequence[Array1], labels: Sequence[int], size: int, *options: Value) -> Handle:
        """The dataset, in the box."""
        return self.box.make(self.make, [ndarray(item) for item in sequences], list(labels), size, *options)

    def compare(
        self, dataset: Handle, sequences: Sequence[Array1], labels: Sequence[int], size: int, value: float = 0
    ) -> None:
        """One pass over the dataset: number, values and dtypes of the batches."""
        count = -(-len(sequences) // size)
        batches = self.box.iterate(dataset, count + 1)
        expect(len(batches) == count, f"the wrong number of batches: {len(batches)}")
        for index, batch in enumerate(batches):
            expect(
                isinstance(batch, tuple | list) and len(batch) == 3,
                f"a batch should be three things, not {kind(batch)}",
            )
            assert isinstance(batch, tuple | list)
            part = sequences[index * size : (index + 1) * size]
            lengths = np.array([len(item) for item in part]).reshape(-1, 1)
            padded = np.full((len(part), int(lengths.max())), value, dtype=part[0].dtype)
            for row, item in zip(padded, part, strict=True):
                row[: len(item)] = item
            dtype = str(part[0].dtype)
            expect_close(batch[0], padded, dtype=dtype, rtol=0, atol=0, what="the padded sequences")
            expect_close(batch[1], np.arange(padded.shape[1]) < lengths, dtype="bool", what="the mask")
            wanted = np.array(labels[index * size : (index + 1) * size], dtype=np.int64)
            expect_close(batch[2], wanted, dtype="int64", what="the labels")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    subject = Subject(box)

    def tokens(*lengths: int) -> list[Array1]:
        """Sequences of ids, among them zeros: the padding value may be a real token."""
        return [rng.integers(0, 4, length) for length in lengths]

    def drawn(count: int) -> list[int]:
        return [int(label) for label in rng.integers(0, 100, count)]

    def gives(sequences: Sequence[Array1], size: int, value: float | None = None) -> None:
        labels = drawn(len(sequences))
        dataset = subject.dataset(sequences, labels, size, *(() if value is None else (value,)))
        subject.compare(dataset, sequences, labels, size, value or 0)

    def documented() -> None:
        note("sequences", "[5, 6, 7], [8] and [9, 9], in batches of 2")
        sequences = [np.array([5, 6, 7]), np.array([8]), np.array([9, 9])]
        subject.compare(subject.dataset(sequences, [1, 0, 1], 2), sequences, [1, 0, 1], 2)
        values = tensor([[1.0, 2.0, 3.0], [9.0, 5.0, 5.0]])
        mask = tensor([[True, True, True], [True, False, False]], "bool")
        expect_close(box.call(subject.mean, values, mask), np.array([2.0, 9.0]), what="the means")

    def lengths() -> None:
        gives(tokens(3, 5, 1, 4, 2, 2, 6), 3)
        gives(tokens(2, 7), 1)
        gives(tokens(4, 4, 4), 3)

    def own_longest() -> None:
        gives(tokens(1, 2, 9, 3, 2, 1), 2)

    def real_zeros() -> None:
        sequences = tokens(4, 3, 6)
        for item in sequences:
            item[-1] = item[0] = 0
        gives(sequences, 2)
        gives([np.zeros(2, dtype=np.int64), np.zeros(5, dtype=np.int64)], 2)

    def padding_value() -> None:
        gives(tokens(3, 1, 5), 2, value=-100)
        gives([rng.normal(size=length).astype(np.float32) for length in (2, 4, 3)], 3, value=0.5)

    def dtypes() -> None:
        for dtype in ("int32", "float32", "float64"):
            gives([rng.integers(1, 9, length).astype(dtype) for length in (2, 3, 1)], 2)

    def short() -> None:
        gives(tokens(0, 3), 2)
        gives(tokens(2, 0, 0), 2)
        gives(tokens(4), 5)

    def second_epoch() -> None:
        sequences, labels = tokens(3, 1, 4), drawn(3)
        dataset = subject.dataset(sequences, labels, 2)
        for _ in range(2):
            subject.compare(dataset, sequences, labels, 2)

    def known_rank() -> None:
        dataset = subject.dataset(tokens(3, 1, 4), drawn(3), 2)
        shapes = box.call(box.define(HELPERS, "shapes"), dataset)
        expect(
            shapes == [[None, None], [None, None], [None]], "element_spec should have (None, None) twice and (None,)"
        )

    def in_a_graph() -> None:
        sequences = tokens(3, 1, 4, 2)
        dataset = subject.dataset(sequences, drawn(4), 3)
        expect_close(box.call(box.define(HELPERS, "total_length"), dataset), np.array(10), what="the number of tokens")
        for shape, keep in (((3, 4), (1, 4, 0)), ((2, 3, 2), (3, 1))):
            values, mask, expected = problem(shape, keep, np.nan)
            compiled = box.make(box.define(HELPERS, "compiled"), subject.mean, len(shape))
            found = box.call(compiled, tensor(values), tensor(mask, "bool"))
            expect_close(found, expected, dtype="float32", what="the means")

    def problem(shape: tuple[int, ...], keep: Sequence[int], bad: float) -> tuple[Array1, Array1, Array1]:
        """Values with `bad` in padded places, the mask, and the means; row i has keep[i] real elements."""
        values = rng.normal(size=shape).astype(np.float32).astype(np.float64)
        mask = np.arange(shape[1]) < np.array(keep).reshape(-1, 1)
        values[~mask] = bad
        expected = np.zeros((shape[0], *shape[2:]))
        for row, count in enumerate(keep):
            if count:
                expected[row] = values[row, :count].mean(axis=0)
        return values, mask, expected

    def mean(shape: tuple[int, ...], keep: Sequence[int], dtype: str = "float32", bad: float = 1e4) -> None:
        values, mask, expected = problem(shape, keep, bad)
        found = box.call(subject.mean, tensor(values, dtype), tensor(mask, "bool"))
        expect_close(found, expected, dtype=dtype, rtol=1e-10 if dtype == "float64" else None, what="the means")

    def means() -> None:
        mean((3, 5), (5, 2, 3))
        mean((2, 4), (1, 4), "float64")

    def means_of_features() -> None:
        mean((3, 4, 2), (4, 1, 3))
        mean((4, 4, 4), (2, 1, 4, 3))
        mean((2, 3, 2, 2), (2, 3))

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
            values, mask, _ = problem((2, 4), keep, np.nan)
            function = box.make(box.define(HELPERS, "mean_with"), subject.mean, tensor(mask, "bool"))
            weights = rng.uniform(0.5, 2.0, (2, 1))
            found = box.vjp(function, [tensor(values)], [tensor(weights[:, 0])]).gradients[0]
            expected = np.where(mask, weights / np.maximum(np.array(keep), 1).reshape(-1, 1), 0.0)
            expect_close(array(found, "the gradient"), expected, what="the gradient")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("lengths", "sequences of different and of equal length", lengths)
    yield case("own-longest", "batches that differ in their longest sequence", own_longest)
    yield case("real-zeros", "real elements that equal the padding", real_zeros)
    yield case("padding-value", "another padding value", padding_value)
    yield case("dtypes", "the dtype of the sequences", dtypes)
    yield case("short", "empty sequences, and fewer samples than a batch", short)
    yield case("second-epoch", "the dataset gone through twice", second_epoch)
    yield case("known-rank", "what the dataset tells about its shapes", known_rank)
    yield case("in-a-graph", "dataset and mean inside a tf.function", in_a_graph)
    yield case("means", "masked_mean of numbers", means)
    yield case("means-of-features", "masked_mean of vectors and matrices", means_of_features)
    yield case("nothing-real", "rows without a real element", nothing_real)
    yield case("bad-padding", "nan and infinity in padded places", bad_padding)
    yield case("holes", "a mask with holes", holes)
    yield case("gradient", "the gradient through masked_mean", gradient)
