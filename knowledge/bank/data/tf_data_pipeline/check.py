"""Checks make_pipeline on drawn samples: what is in each batch, how often prepare and augment ran, and in which order.

Both hidden functions work on one sample (on a batch they give other numbers). The features of a prepared sample
identify it, so that every row of a batch can be traced back. One of the two stamps the label with the time of its call,
so that a sample with the same stamp in two epochs was not worked on again. Calls are counted in a variable, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, kind, ndarray, note, number

Floats = npt.NDArray[np.float64]

WORK = """
class Work:
    def __init__(self, slope, shift, stamps):
        start = tf.timestamp()

        def stamped(y, name):  # microseconds above, the label below
            passed = tf.cast((tf.timestamp() - start) * 1e6, tf.int64) + 1
            return y + 1000 * passed if name == stamps else y

        prepared, augmented = tf.Variable(0, dtype=tf.int64), tf.Variable(0, dtype=tf.int64)

        @tf.autograph.experimental.do_not_convert
        def prepare(x, y):
            prepared.assign_add(1)
            return tf.cast(x, tf.float32) * slope - tf.cumsum(tf.cast(x, tf.float32)), stamped(y + 100, "prepare")

        @tf.autograph.experimental.do_not_convert
        def augment(x, y):
            augmented.assign_add(1)
            return tf.reverse(x, [0]) + shift, stamped(y, "augment")

        self.prepare, self.augment, self.prepared, self.augmented = prepare, augment, prepared, augmented
"""


class Samples(NamedTuple):
    """Features of shape (n, 3) as sent, labels of shape (n,), and the features as they must come out."""

    features: Floats
    labels: npt.NDArray[np.int64]
    prepared: Floats
    augmented: Floats


class Pipeline:
    """One pipeline in the box, with the functions that it was given."""

    def __init__(self, box: Box, make: Handle, rng: np.random.Generator, size: int, stamps: str) -> None:
        self.box, self.make, self.size = box, make, size
        self.stamps: dict[int, int] = {}
        slope, shift = float(rng.uniform(3.0, 5.0)), float(rng.uniform(20.0, 40.0))
        features = np.asarray(rng.permutation(4 * size)[: 3 * size].reshape(size, 3) / 8, dtype=np.float64)
        prepared = features * slope - features.cumsum(1)
        self.samples = Samples(features, rng.permutation(size).astype(np.int64), prepared, prepared[:, ::-1] + shift)
        self.work = box.make(box.define(WORK, "Work"), slope, shift, stamps)

    def build(self, batch: int, training: bool, seed: int = 0) -> Handle:
        """A pipeline over the samples."""
        prepare, augment = self.box.get(self.work, "prepare"), self.box.get(self.work, "augment")
        sent = ndarray(self.samples.features, "float32"), ndarray(self.samples.labels)
        return self.box.make(self.make, *sent, prepare, augment, batch, training, seed)

    def epoch(self, dataset: Handle, batch: int, training: bool) -> list[int]:
        """One pass: the samples by number, in the order in which they came. The batches must be whole and right.

        Afterwards `stamps` has the stamp of each sample, 0 where nothing stamps.
        """
        batches = -(-self.size // batch)
        found = self.box.iterate(dataset, batches + 2)
        expect(len(found) == batches, f"an epoch has the wrong number of batches: {len(found)}")
        order: list[int] = []
        for index, item in enumerate(found):
            features, labels = pair(item)
            rows = min(batch, self.size - index * batch)
            expect(features.shape == (rows, 3), "a batch of features has the wrong shape")
            expect(features.dtype == "float32", f"the features of a batch are {kind(features)}")
            wanted = self.samples.augmented if training else self.samples.prepared
            numbers = [row_number(wanted, row) for row in features.data]
            labels = array(labels, "the labels of a batch")
            expect(labels.dtype == "int64", f"the labels of a batch are {kind(labels)}")
            stamps, plain = np.divmod(labels.data.astype(np.int64), 1000)
            expect_close(Array(plain, "int64"), self.samples.labels[numbers] + 100, what="the labels of a batch")
            self.stamps |= dict(zip(numbers, stamps.tolist(), strict=True))
            order.extend(numbers)
        expect(sorted(order) == list(range(self.size)), "an epoch is not every sample once")
        return order

    def count(self, name: str) -> int:
        """How often prepare or augment ran, by the variable "prepared" or "augmented"."""
        return int(number(self.box.value(self.box.get(self.work, name)), "a counter"))


def pair(item: Value) -> tuple[Array, Value]:
    """Features and labels of a batch."""
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise Mismatch(f"a batch should be a pair of features and labels, and is {kind(item)}")
    return array(item[0], "the features of a batch"), item[1]


def row_number(wanted: Floats, row: npt.NDArray[np.generic]) -> int:
    """Which sample this row is. Raises Mismatch where it is none."""
    found = np.flatnonzero(np.isclose(wanted, row.astype(np.float64), rtol=1e-5, atol=1e-3).all(axis=1))
    expect(len(found) == 1, "a row of a batch is not a sample as it should come out")
    return int(found[0])


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    make = box.get(box.load(), "make_pipeline")

    def drawn(size: int, stamps: str = "") -> Pipeline:
        """A pipeline whose function `stamps`, "prepare" or "augment", puts its time on the labels."""
        return Pipeline(box, make, rng, size, stamps)

    def documented() -> None:
        note("features", np.array([[1.0], [2.0], [3.0]]))
        note("prepare", "x * 10, y")
        source = "@tf.autograph.experimental.do_not_convert\ndef prepare(x, y):\n    return x * 10, y"
        prepare = box.define(source, "prepare")
        features, labels = ndarray([[1.0], [2.0], [3.0]], "float32"), ndarray([0, 1, 2], "int64")
        found = box.iterate(box.make(make, features, labels, prepare, prepare, 2, False, 0), 5)
        expect(len(found) == 2, f"there should be two batches, and there are {len(found)}")
        expect_close(pair(found[0])[0], [[10.0], [20.0]], dtype="float32", what="the first batch")
        expect_close(pair(found[1])[0], [[30.0]], dtype="float32", what="the second batch")

    def evaluation() -> None:
        batch = int(rng.integers(3, 6))
        for size in (4 * batch + 1, 2 * batch, batch - 1, 1):
            pipeline = drawn(size)
            dataset = pipeline.build(batch, False)
            for _ in range(2):
                expect(
                    pipeline.epoch(dataset, batch, False) == list(range(size)), "the order is not that of the arrays"
                )
            expect(pipeline.count("augmented") == 0, "augment ran in evaluation")

    def training() -> None:
        batch = int(rng.integers(4, 7))
        for size in (4 * batch + 2, 3 * batch, batch - 1, 1):
            pipeline = drawn(size)
            pipeline.epoch(pipeline.build(batch, True, int(rng.integers(1, 999))), batch, True)

    def is_dataset() -> None:
        source = "def described(ds):\n    return isinstance(ds, tf.data.Dataset), int(ds.cardinality())"
        described = box.call(box.define(source, "described"), drawn(23).build(5, True, 1))
        expect(isinstance(described, tuple) and described[0] is True, "the pipeline is not a tf.data.Dataset")
        expect(isinstance(described, tuple) and described[1] == 5, "the dataset does not know its number of batches")

    def prepared_once() -> None:
        for training_mode in (True, False):
            pipeline = drawn(21, "prepare")
            dataset, seen = pipeline.build(4, training_mode, 3), []
            for _ in range(3):
                pipeline.epoch(dataset, 4, training_mode)
                seen.append(dict(pipeline.stamps))
            expect(seen[0] == seen[1] == seen[2], "samples were prepared again in a later epoch")
            expect(pipeline.count("prepared") == 21, "prepare did not run exactly once for each sample")

    def augmented_anew() -> None:
        pipeline = drawn(22, "augment")
        dataset, seen = pipeline.build(5, True, 3), []
        for _ in range(3):
            pipeline.epoch(dataset, 5, True)
            seen.append(dict(pipeline.stamps))
        anew = all(len({stamps[sample] for stamps in seen}) == 3 for sample in range(22))
        expect(anew, "a sample was not augmented anew in each epoch")
        expect(pipeline.count("augmented") == 66, "augment did not run once for each sample in each epoch")

    def whole_shuffle() -> None:
        # Of 60 places each has an even chance to come from the second half: all from the first has chance 2^-60.
        pipeline = drawn(400)
        order = pipeline.epoch(pipeline.build(20, True, int(rng.integers(1, 999))), 20, True)
        expect(order != sorted(order), "the training samples come in the order of the arrays")
        expect(max(order[:60]) >= 200, "the first batches hold samples from the beginning of the arrays only")
        first = [set(order[start : start + 20]) for start in range(0, 400, 20)]
        together = sum({20 * block + index for index in range(20)} == batch for block in range(20) for batch in first)
        expect(not together, "neighbours in the arrays always end up in the same batch")

    def reshuffled() -> None:
        pipeline = drawn(40)
        dataset = pipeline.build(8, True, int(rng.integers(1, 999)))
        first, second = pipeline.epoch(dataset, 8, True), pipeline.epoch(dataset, 8, True)
        expect(first != second, "two training epochs have the same order")

    def seeded() -> None:
        pipeline, seed = drawn(40), int(rng.integers(1, 999))
        one, same, other = (pipeline.build(8, True, each) for each in (seed, seed, seed + 1))
        for _ in range(2):
            order = pipeline.epoch(one, 8, True)
            expect(order == pipeline.epoch(same, 8, True), "the same seed gives another order")
            expect(order != pipeline.epoch(other, 8, True), "another seed gives the same order")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("evaluation", "all samples in order, the last batch smaller, not augmented", evaluation)
    yield case("training-batches", "all samples once, prepared, augmented, with their labels", training)
    yield case("is-dataset", "a tf.data.Dataset of known length", is_dataset)
    yield case("prepared-once", "how often prepare runs in three epochs", prepared_once)
    yield case("augmented-anew", "how often augment runs in three epochs", augmented_anew)
    yield case("whole-shuffle", "single samples mixed over the whole data", whole_shuffle)
    yield case("reshuffled", "another order in each epoch", reshuffled)
    yield case("seeded", "the order follows from the seed", seeded)
