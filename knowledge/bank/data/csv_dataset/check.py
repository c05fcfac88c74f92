"""CSVDataset and make_loader: samples, indices, transforms, and two epochs of batches on drawn tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, CandidateError, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, kind, note

SOURCE = """
class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * 2 + self.calls

def length(dataset):
    return len(dataset)

def read(dataset, index):
    return dataset[index]

def in_place(x):
    return x.mul_(3).sub_(1)

def summary(x):
    return torch.stack([x.sum(), x.max()])

def spoil(dataset, index):
    features, label = dataset[index]
    features.fill_(-77.0)
    if isinstance(label, torch.Tensor):
        label.fill_(-7)
    return dataset[index]
"""


class Table(NamedTuple):
    """A drawn CSV file. `features` (samples, columns) is float32; its first column tells the samples apart."""

    lines: list[Value]
    features: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]


def draw_table(rng: np.random.Generator, samples: int, columns: int) -> Table:
    """A table whose numbers are written in several ways."""
    ids = rng.permutation(samples) + 0.5 + int(rng.integers(1, 50))
    numbers = np.concatenate([ids[:, None], rng.uniform(-9, 9, (samples, columns - 1))], axis=1)
    labels = rng.integers(0, 7, samples)
    header = ",".join([*(f"f{column}" for column in range(columns)), "label"])
    texts = [[format(number, rng.choice([".3f", ".4e"])) for number in row] for row in numbers]
    lines: list[Value] = [header, *(",".join([*text, str(label)]) for text, label in zip(texts, labels, strict=True))]
    features = np.array(texts, dtype=np.float64).astype(np.float32).reshape(samples, columns)
    return Table(lines, features, labels)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Cases for samples, indices, transforms and side effects, and for the batches of both kinds of loader."""
    module = box.load()
    make_dataset, make_loader = box.get(module, "CSVDataset"), box.get(module, "make_loader")
    length, read = box.define(SOURCE, "length"), box.define(SOURCE, "read")

    def expect_length(target: Handle, size: int, what: str) -> None:
        expect(box.call(length, target) == size, f"len() of {what} is wrong")

    def expect_index_error(dataset: Handle, index: int) -> None:
        try:
            box.call(read, dataset, index)
        except CandidateError as error:
            if error.type_name != "IndexError":
                raise Mismatch(f"an index out of range raised {error.type_name[:60]}") from None
        else:
            raise Mismatch("an index out of range raised nothing")

    def drawn(samples: int = 0, columns: int = 0) -> Table:
        return draw_table(rng, samples or int(rng.integers(6, 12)), columns or int(rng.integers(2, 6)))

    def built(table: Table, transform: Handle | None = None) -> Handle:
        dataset = box.make(make_dataset, table.lines, transform) if transform else box.make(make_dataset, table.lines)
        expect_length(dataset, len(table.labels), "the dataset")
        return dataset

    def features_at(dataset: Handle, index: int) -> Array:
        return parts(box.call(read, dataset, index))[0]

    def documented() -> None:
        lines: list[Value] = ["height,width,label", "1.5,2.0,0", "-3.0,0.25,1", "4.0,1e-1,2"]
        note("input", lines)
        dataset = box.make(make_dataset, lines)
        expect_length(dataset, 3, "the dataset")
        features, label = parts(box.call(read, dataset, 1))
        expect_close(features, [-3.0, 0.25], dtype="float32", what="the feature tensor of dataset[1]")
        expect_close(label, 1, what="the label of dataset[1]")

    def hidden_values() -> None:
        for table in (drawn(), drawn(columns=1), drawn(samples=1)):
            dataset = built(table)
            for index in range(len(table.labels)):
                features, label = parts(box.call(read, dataset, index))
                expect_close(features, table.features[index], dtype="float32", what="a feature tensor")
                expect_close(label, int(table.labels[index]), what="a label")

    def sample_types() -> None:
        dataset = built(drawn(samples=6))
        features, label = parts(box.call(read, dataset, 0))
        expect(features.role == "tensor" and features.dtype == "float32", f"the features are {kind(features)}")
        whole = label.dtype == "int64" if isinstance(label, Array) else type(label) is int
        expect(whole, f"the label is {kind(label)}")
        for batch in box.iterate(box.make(make_loader, dataset, 3, False), 1):
            features, labels = parts(batch)
            expect(features.dtype == "float32", f"the features of a batch are {kind(features)}")
            expect(isinstance(labels, Array) and labels.dtype == "int64", f"the labels of a batch are {kind(labels)}")

    def negative_index() -> None:
        table = drawn()
        dataset, samples = built(table), len(table.labels)
        for index in (-1, -samples, -int(rng.integers(2, samples))):
            wanted = table.features[index]
            expect_close(features_at(dataset, index), wanted, dtype="float32", what="the sample at a negative index")

    def index_error() -> None:
        table = drawn()
        dataset, samples = built(table), len(table.labels)
        for index in (samples, samples + int(rng.integers(1, 99)), -samples - 1):
            expect_index_error(dataset, index)

    def iteration_ends() -> None:
        table = drawn()
        samples = box.iterate(built(table), len(table.labels) + 3)
        expect(len(samples) == len(table.labels), "a for loop over the dataset does not end after its last sample")
        for index, sample in enumerate(samples):
            expect_close(parts(sample)[0], table.features[index], dtype="float32", what="a sample of the for loop")

    def header_only() -> None:
        dataset = box.make(make_dataset, drawn().lines[:1])
        expect_length(dataset, 0, "the dataset")
        for index in (0, -1):
            expect_index_error(dataset, index)

    def transform_lazy() -> None:
        table = drawn()
        counting = box.make(box.define(SOURCE, "Counting"))
        dataset = built(table, counting)
        expect(box.value(box.get(counting, "calls")) == 0, "transform was called before any sample was read")
        for reading, index in enumerate((2, 4, 2), start=1):
            features = features_at(dataset, index)
            expect(box.value(box.get(counting, "calls")) == reading, "transform is not called once for each reading")
            wanted = 2 * table.features[index] + reading
            expect_close(features, wanted, dtype="float32", what="the transformed sample")

    def transform_result() -> None:
        table = drawn()
        dataset = built(table, box.define(SOURCE, "summary"))
        wanted = [table.features[1].sum(), table.features[1].max()]
        expect_close(features_at(dataset, 1), wanted, dtype="float32", what="the transformed sample")

    def transform_in_place() -> None:
        table = drawn()
        dataset = built(table, box.define(SOURCE, "in_place"))
        for _ in range(2):
            for index in (0, 3):
                wanted = 3 * table.features[index] - 1
                expect_close(features_at(dataset, index), wanted, dtype="float32", what="a sample that is read again")

    def changed_by_reader() -> None:
        table = drawn()
        features, label = parts(box.call(box.define(SOURCE, "spoil"), built(table), 2))
        expect_close(features, table.features[2], dtype="float32", what="a feature tensor that is read again")
        expect_close(label, int(table.labels[2]), what="a label that is read again")

    def lines_untouched() -> None:
        table = drawn()
        held = box.keep(table.lines)
        dataset = box.make(make_dataset, held)
        features_at(dataset, 0)
        expect(box.value(held) == table.lines, "the list of lines was changed")
        expect_length(box.make(make_dataset, held), len(table.labels), "a second dataset from the same list")

    def epoch(loader: Handle, table: Table, size: int, batches: int) -> tuple[list[int], list[int]]:
        """One pass over the loader: the sizes of its batches, and which samples of the table their rows are."""
        found = box.iterate(loader, batches + 2)
        expect(len(found) == batches, f"an epoch has the wrong number of batches: {len(found)}")
        sizes, seen = [], []
        for batch in found:
            features, labels = parts(batch)
            rows = len(features.data) if features.shape else 0
            expect(rows <= size and features.shape == (rows, table.features.shape[1]), "a batch has the wrong shape")
            samples = [sample_of(table, row) for row in features.data]
            expect_close(labels, table.labels[samples], dtype="int64", what="the label column of a batch")
            sizes.append(rows)
            seen.extend(samples)
        return sizes, seen

    def evaluation() -> None:
        size = int(rng.integers(3, 7))
        for samples in (3 * size + int(rng.integers(1, size)), 3 * size, size - 1):
            table = drawn(samples)
            loader = box.make(make_loader, built(table), size, False)
            batches = -(-samples // size)
            expect_length(loader, batches, "the evaluation loader")
            for _ in range(2):
                sizes, seen = epoch(loader, table, size, batches)
                expect(seen == list(range(samples)), "an evaluation epoch is not all samples once, in order")
                expect(sizes[:-1] == [size] * (batches - 1), "a batch other than the last is incomplete")

        nothing = box.make(make_dataset, drawn().lines[:1])
        expect(not box.iterate(box.make(make_loader, nothing, size, False), 3), "there are batches without any sample")

    def training() -> None:
        size = int(rng.integers(3, 7))
        for samples in (3 * size + int(rng.integers(1, size)), size + 1, size):
            table = drawn(samples)
            loader = box.make(make_loader, built(table), size, True)
            expect_length(loader, samples // size, "the training loader")
            sizes, seen = epoch(loader, table, size, samples // size)
            expect(sizes == [size] * (samples // size), "a training batch is incomplete")
            expect(len(set(seen)) == len(seen), "a training epoch shows a sample twice")

    def once() -> None:
        table = drawn(40)
        loader = box.make(make_loader, built(table), 8, True)
        for _ in range(2):
            seen = epoch(loader, table, 8, 5)[1]
            expect(sorted(seen) == list(range(40)), "a training epoch without a remainder is not all samples once")

    def reshuffled() -> None:
        table = drawn(40)
        loader = box.make(make_loader, built(table), 4, True)
        first, second = epoch(loader, table, 4, 10)[1], epoch(loader, table, 4, 10)[1]
        expect(first != list(range(40)), "the training samples come in the order of the file")
        expect(first != second, "two training epochs have the same order")

    yield case("documented-example", "the length and a sample of a small file", documented, visible=True)
    yield case("hidden-values", "features and labels, also with one column and with one sample", hidden_values)
    yield case("sample-types", "float32 features, an int label", sample_types)
    yield case("negative-index", "negative indices count from the end", negative_index)
    yield case("index-error", "IndexError for an index out of range", index_error)
    yield case("iteration-ends", "a for loop over the dataset", iteration_ends)
    yield case("header-only", "a file without samples", header_only)
    yield case("transform-lazy", "transform is called once at each reading, not before", transform_lazy)
    yield case("transform-result", "what transform returns takes the place of the features", transform_result)
    yield case("transform-in-place", "a transform that works in place", transform_in_place)
    yield case("sample-changed-by-reader", "a sample is read again after the reader changed it", changed_by_reader)
    yield case("lines-untouched", "the list of lines is not changed", lines_untouched)
    yield case("evaluation-batches", "all samples once, in order, the last batch smaller", evaluation)
    yield case("training-batches", "full batches only, no sample twice", training)
    yield case("each-sample-once", "every sample once in a training epoch without a remainder", once)
    yield case("reshuffled", "a new random order in each training epoch", reshuffled)


def parts(sample: Value) -> tuple[Array, Value]:
    """Features and label of a sample, or of a batch."""
    if not isinstance(sample, list | tuple) or len(sample) != 2:
        raise Mismatch(f"a sample or batch should be a pair of features and label, and is {kind(sample)}")
    return array(sample[0], "the features"), sample[1]


def sample_of(table: Table, row: npt.NDArray[np.generic]) -> int:
    """Which sample of the table has these features. Raises Mismatch where none has."""
    found = np.flatnonzero(np.isclose(table.features, row.astype(np.float64), rtol=1e-5, atol=1e-6).all(axis=1))
    expect(len(found) == 1, "a row of a batch is not a sample of the file")
    return int(found[0])
