"""EverySecond and MaskedMean, two Keras layers that meet masks, against numpy in float64.

Masks come from an Embedding with mask_zero, or are handed over. What a layer passes on is seen by the values that a
layer of the check's own gives, which returns the mask that reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Value
from sandbox.toolkit import Mismatch, case, expect, expect_close, kind, note, tensor

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

LAB = """
class Seen(keras.layers.Layer):  # the mask that reaches this layer as numbers, and -1 where there is none
    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, x, mask=None):
        return -tf.ones(tf.shape(x)[:2]) if mask is None else tf.cast(mask, tf.float32)


def embedding(table):
    layer = keras.layers.Embedding(table.shape[0], table.shape[1], mask_zero=True)
    layer.build(None)
    layer.set_weights([table.numpy()])
    return layer


class Lab:
    def __init__(self, module):
        self.EverySecond, self.MaskedMean = module.EverySecond, module.MaskedMean

    def apply(self, name, dtype, x, mask):
        layer = getattr(self, name)(dtype=dtype)
        return layer(x) if mask is None else layer(x, mask=mask)

    def chain(self, names, table, ids, seen, steps, functional):
        layers = [embedding(table)] + [getattr(self, name)() for name in names] + ([Seen()] if seen else [])
        if not functional:
            return keras.Sequential(layers)(ids)
        x = inputs = keras.Input((steps,), dtype="int64")
        for layer in layers:
            x = layer(x)
        return keras.Model(inputs, x)(ids)

    def gradient(self, x, mask, upstream):
        layer = self.MaskedMean(dtype="float64")
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, mask=mask)
        return tape.gradient(y, x, output_gradients=upstream)

    def traced(self, x, mask):
        layer = self.MaskedMean()
        specs = [tf.TensorSpec([None, None, 3], tf.float32), tf.TensorSpec([None, None], tf.bool)]
        return tf.function(lambda item, seen: layer(item, mask=seen), input_signature=specs)(x, mask)

    def weights(self):
        second, mean = self.EverySecond(), self.MaskedMean()
        mean(second(tf.ones([1, 2, 3])))
        return len(second.variables) + len(mean.variables)


def lab(module):
    return Lab(module)
"""


def masked_mean(x: Floats, mask: Mask) -> Floats:
    """The mean over the steps that count; zeros where there are none."""
    total = np.where(mask[:, :, None], x, 0.0).sum(axis=1)
    return np.asarray(total / np.maximum(mask.sum(axis=1), 1)[:, None])


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    lab = box.make(box.define(LAB, "lab"), box.load())

    def drawn(*shape: int) -> Floats:
        """Numbers exact in float32."""
        return np.asarray((0.5 + rng.normal(size=shape)).astype(np.float32), dtype=np.float64)

    def some_mask(batch: int, steps: int) -> Mask:
        """Hidden steps anywhere, at least one of them and one that counts in each sample."""
        mask = rng.random((batch, steps)) < 0.5
        for row in mask:
            first, second = rng.choice(steps, 2, replace=False)
            row[first], row[second] = True, False
        return np.asarray(mask)

    def compare(x: Floats, mask: Mask | None, dtype: str = "float32", policy: str | None = None) -> None:
        sent = None if mask is None else tensor(mask, "bool")
        got = box.method(lab, "apply", "MaskedMean", policy or dtype, tensor(x, dtype), sent)
        wanted = masked_mean(x, np.ones(x.shape[:2], dtype=bool) if mask is None else mask)
        expect_close(got, wanted, dtype=dtype, rtol=1e-10 if dtype == "float64" else None, what="the mean")

    def chained(names: list[Value], table: Floats, ids: npt.NDArray[np.int64], seen: bool, steps: int | None) -> Value:
        """Of an Embedding, then these layers, as a model with `steps` time steps, None for an unknown number."""
        return box.method(lab, "chain", names, tensor(table), tensor(ids, "int64"), seen, steps, True)

    def words(batch: int, steps: int) -> tuple[Floats, npt.NDArray[np.int64]]:
        """A table of vectors in which that of word 0 is not zero, and sequences with a 0 here and there."""
        ids = np.where(some_mask(batch, steps), rng.integers(1, 6, (batch, steps)), 0)
        return drawn(6, 3), ids

    def documented() -> None:
        x = np.array([[[1.0], [2.0], [9.0]]])
        note("x, one feature", [1.0, 2.0, 9.0])
        note("mask", "True, True, False")
        got = box.method(lab, "apply", "MaskedMean", "float32", tensor(x), tensor([[True, True, False]], "bool"))
        expect_close(got, np.array([[1.5]]), dtype="float32", what="the mean")
        second = box.method(lab, "apply", "EverySecond", "float32", tensor(x), None)
        expect_close(second, x[:, ::2], dtype="float32", what="every second step")

    def without_mask() -> None:
        for shape in ((3, 4, 2), (2, 1, 3), (1, 7, 1)):
            compare(drawn(*shape), None)

    def given_mask() -> None:
        for batch, steps in ((3, 6), (2, 3), (4, 9)):
            compare(drawn(batch, steps, 3), some_mask(batch, steps))

    def from_embedding() -> None:
        for steps in (6, None):
            table, ids = words(3, 6)
            got = chained(["MaskedMean"], table, ids, False, steps)
            expect_close(got, masked_mean(table[ids], ids != 0), dtype="float32", what="the mean of an embedding")

    def nothing_counts() -> None:
        mask = some_mask(3, 4)
        mask[int(rng.integers(0, 3))] = False
        compare(drawn(3, 4, 2), mask)
        compare(drawn(2, 4, 2), np.zeros((2, 4), dtype=bool))
        compare(drawn(2, 0, 3), np.ones((2, 0), dtype=bool))
        compare(drawn(2, 0, 3), None)
        compare(drawn(0, 3, 2), np.ones((0, 3), dtype=bool))

    def hidden_values() -> None:
        for bad in (np.nan, np.inf, 1e30):
            mask, x = some_mask(3, 5), drawn(3, 5, 2)
            x[~mask] = bad
            compare(x, mask)

    def every_second() -> None:
        for steps in (1, 4, 7):
            x = drawn(2, steps, 3)
            got = box.method(lab, "apply", "EverySecond", "float32", tensor(x), None)
            expect_close(got, x[:, ::2], dtype="float32", what="every second step")

    def mask_passes() -> None:
        for steps, given in ((7, 7), (4, None)):
            table, ids = words(3, steps)
            got = chained(["EverySecond"], table, ids, True, given)
            expect_close(got, (ids != 0)[:, ::2].astype(float), dtype="float32", what="the mask that is passed on")

    def both() -> None:
        table, ids = words(4, 9)
        for names, step in ((["EverySecond", "MaskedMean"], 2), (["EverySecond", "EverySecond", "MaskedMean"], 4)):
            wanted = masked_mean(table[ids][:, ::step], (ids != 0)[:, ::step])
            sent: list[Value] = [*names]
            expect_close(chained(sent, table, ids, False, None), wanted, dtype="float32", what="the mean of the chain")
            eager = box.method(lab, "chain", sent, tensor(table), tensor(ids, "int64"), False, None, False)
            expect_close(eager, wanted, dtype="float32", what="the mean of a Sequential")

    def mask_ends() -> None:
        table, ids = words(3, 5)
        got = chained(["MaskedMean"], table, ids, True, 5)
        expect_close(got, -np.ones((3, 3)), dtype="float32", what="the mask after the mean")

    def no_mask_stays_none() -> None:
        x = drawn(2, 5, 3)
        source = LAB + "\ndef probe(lab, x):\n    return Seen()(lab.EverySecond()(x))\n"
        got = box.call(box.define(source, "probe"), lab, tensor(x))
        expect_close(got, -np.ones((2, 3)), dtype="float32", what="the mask that was never there")
        expect(box.method(lab, "weights") == 0, "the layers should have no variables")

    def gradient() -> None:
        mask, x, upstream = some_mask(4, 5), drawn(4, 5, 2), drawn(4, 2)
        mask[1] = False
        for bad in (None, np.nan):
            if bad is not None:
                x[~mask] = bad
            sent = tensor(x, "float64"), tensor(mask, "bool"), tensor(upstream, "float64")
            got = box.method(lab, "gradient", *sent)
            share = mask / np.maximum(mask.sum(1), 1)[:, None]
            expect(got is not None, "the mean does not depend on x as far as the tape can tell")
            expect_close(got, share[:, :, None] * upstream[:, None], dtype="float64", what="the gradient")

    def half() -> None:
        compare(np.round(drawn(2, 6, 3) * 64) / 64, some_mask(2, 6), "float16", "mixed_float16")
        x = np.round(drawn(2, 5, 3) * 64) / 64
        got = box.method(lab, "apply", "EverySecond", "mixed_float16", tensor(x), None)
        expect_close(got, x[:, ::2], dtype="float16", what="every second step in half precision")
        x = np.round(40 + 4 * drawn(2, 3000, 2))
        compare(x, np.arange(3000)[None] < np.array([[2500], [3000]]), "float16", "mixed_float16")

    def float64() -> None:
        compare(rng.normal(size=(2, 5, 3)), some_mask(2, 5), "float64")

    def in_a_graph() -> None:
        for batch, steps in ((2, 4), (3, 6)):
            x, mask = drawn(batch, steps, 3), some_mask(batch, steps)
            got = box.method(lab, "traced", tensor(x), tensor(mask, "bool"))
            if isinstance(got, list | tuple):
                raise Mismatch(f"the mean is {kind(got)}")
            expect_close(got, masked_mean(x, mask), dtype="float32", what="the mean in tf.function")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("without-mask", "the mean where there is no mask", without_mask)
    yield case("given-mask", "the mean under a mask that is handed over", given_mask)
    yield case("from-embedding", "the mean under the mask of an embedding", from_embedding)
    yield case("nothing-counts", "sequences of padding alone, or without any step", nothing_counts)
    yield case("hidden-values", "hidden steps that are not finite", hidden_values)
    yield case("every-second", "every second step", every_second)
    yield case("mask-passes", "the mask that EverySecond passes on", mask_passes)
    yield case("chain", "both layers in models", both)
    yield case("mask-ends", "no mask after the mean", mask_ends)
    yield case("no-mask", "no mask where there was none, and no variables", no_mask_stays_none)
    yield case("gradient", "the gradient with respect to the input", gradient)
    yield case("half", "the policy mixed_float16, and long sequences", half)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("in-a-graph", "inside tf.function, with sizes that are not known", in_a_graph)
