"""attention(query, key, value, causal, mask), positions before heads, against numpy in float64, gradients included.

Queries stand at the end of the keys: query i of Q may look at the keys j <= i + K - Q. Keras's own attention is
switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case
from sandbox.toolkit import case, expect, expect_close, note, tensor

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("Keras's own attention is switched off: do the arithmetic yourself")
    for holder in (keras.ops, keras.ops.nn, keras.src.ops, keras.src.ops.nn, keras.src.backend.nn):
        holder.dot_product_attention = refuse
    for name in ("Attention", "AdditiveAttention", "MultiHeadAttention", "GroupQueryAttention"):
        setattr(keras.layers, name, refuse)
"""

BIND = """
def bind(attention, causal, mask):
    return lambda query, key, value: attention(query, key, value, causal=causal, mask=mask)

def traced(attention, causal, dtype):
    free = tf.TensorSpec([None, None, None, None], dtype)

    @tf.function(input_signature=[free, free, free, tf.TensorSpec([None, None], tf.bool)])
    def run(query, key, value, mask):
        return attention(query, key, value, causal=causal, mask=mask)

    return run
"""


class Inputs(NamedTuple):
    """Query (B, Q, H, D), key (B, K, H, D), value (B, K, H, V), whether causal, mask (B, K), True where seen."""

    query: Floats
    key: Floats
    value: Floats
    causal: bool = False
    mask: Mask | None = None


def by_heads(item: Floats) -> Floats:
    """Positions and heads swapped."""
    return np.asarray(item.swapaxes(1, 2))


def weights(given: Inputs) -> Floats:
    """The attention weights (B, H, Q, K): a softmax over the keys that may be seen, and 0 where there are none."""
    query, key = by_heads(given.query), by_heads(given.key)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    queries, keys = scores.shape[-2:]
    seen = np.ones((len(scores), 1, queries, keys), dtype=bool)
    if given.causal:
        seen &= np.tri(queries, keys, keys - queries, dtype=bool)
    if given.mask is not None:
        seen &= given.mask[:, None, None, :]
    scores = np.where(seen, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    grown = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = grown.sum(axis=-1, keepdims=True)
    return np.asarray(grown / np.where(total > 0, total, 1.0))


def output(given: Inputs) -> Floats:
    """The right result, shape (B, Q, H, V)."""
    return by_heads(weights(given) @ by_heads(given.value))


def gradients(given: Inputs, upstream: Floats) -> list[Floats]:
    """The gradients with respect to query, key and value, by the chain rule through the softmax."""
    share, pulled = weights(given), by_heads(upstream)
    by_weights = pulled @ by_heads(given.value).swapaxes(-1, -2)
    inner = share * (by_weights - (by_weights * share).sum(-1, keepdims=True)) / np.sqrt(given.query.shape[-1])
    found = (
        inner @ by_heads(given.key),
        inner.swapaxes(-1, -2) @ by_heads(given.query),
        share.swapaxes(-1, -2) @ pulled,
    )
    return [by_heads(item) for item in found]


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    attention = box.get(box.load(), "attention")

    def draw(batch: int, heads: int, queries: int, keys: int, depth: int, causal: bool = False) -> Inputs:
        """Inputs exact in float16, the values of another depth than the keys."""
        shapes = ((queries, heads, depth), (keys, heads, depth), (keys, heads, depth + 1))
        drawn = [rng.normal(size=(batch, *shape)).astype(np.float16).astype(np.float64) for shape in shapes]
        return Inputs(drawn[0], drawn[1], drawn[2], causal)

    def masked(given: Inputs) -> Inputs:
        """Some keys of each example may not be seen, at its end or its start; at least one may."""
        mask = np.ones((len(given.key), given.key.shape[1]), dtype=bool)
        for row, seen in enumerate(mask):
            count = int(rng.integers(1, len(seen)))
            seen[slice(None, count) if row % 2 else slice(len(seen) - count, None)] = False
        return given._replace(mask=mask)

    def arguments(given: Inputs, dtype: str) -> tuple[list[Array], Array | None]:
        mask = None if given.mask is None else tensor(given.mask, "bool")
        return [tensor(item, dtype) for item in given[:3]], mask

    def compare(given: Inputs, dtype: str = "float32", rtol: float | None = None) -> None:
        sent, mask = arguments(given, dtype)
        got = box.call(attention, *sent, causal=given.causal, mask=mask)
        expect_close(got, output(given), dtype=dtype, rtol=rtol, what="the output")

    def compare_gradients(given: Inputs) -> None:
        sent, mask = arguments(given, "float64")
        forward = box.make(box.define(BIND, "bind"), attention, given.causal, mask)
        upstream = rng.normal(size=output(given).shape)
        got = box.vjp(forward, sent, [tensor(upstream, "float64")])
        names = ("query", "key", "value")
        for name, found, wanted in zip(names, got.gradients, gradients(given, upstream), strict=True):
            expect(found is not None, f"the output does not depend on {name} as far as the tape can tell")
            expect_close(found, wanted, dtype="float64", what=f"the gradient with respect to {name}")

    def documented() -> None:
        query, key, value = np.zeros((1, 2, 1, 1)), np.array([1.0, 2.0]), np.array([1.0, 3.0])
        note("query, key, value", [[0, 0], [1, 2], [1, 3]])
        compare(Inputs(query, key.reshape(1, 2, 1, 1), value.reshape(1, 2, 1, 1), True))

    def unmasked() -> None:
        compare(draw(2, 3, 4, 5, 6))
        given = draw(1, 2, 4, 4, 3)
        got = box.call(attention, *arguments(given, "float32")[0])
        expect_close(got, output(given), dtype="float32", what="the output")

    def scaled() -> None:
        for depth in (1, 7, 32):
            compare(draw(2, 1, 3, 4, depth))

    def causal() -> None:
        compare(draw(2, 2, 5, 5, 3, True))

    def cached() -> None:
        for queries in (1, 2, 3):
            compare(draw(2, 2, queries, int(rng.integers(4, 8)), 3, True))

    def mask() -> None:
        compare(masked(draw(3, 2, 4, 6, 3)))

    def both() -> None:
        given = draw(2, 2, 5, 5, 3, True)
        late = np.ones((2, 5), dtype=bool)
        late[0, 3:], late[1, int(rng.integers(1, 4))] = False, False
        compare(given._replace(mask=late))

    def blind() -> list[Inputs]:
        """An example of padding alone, one that begins with padding under the causal mask, more queries than keys."""
        whole = masked(draw(2, 2, 3, 4, 3))
        assert whole.mask is not None
        whole.mask[int(rng.integers(0, 2))] = False
        start = np.ones((2, 5), dtype=bool)
        start[:, : int(rng.integers(1, 4))] = False
        return [whole, draw(2, 2, 5, 5, 3, True)._replace(mask=start), draw(1, 2, 5, 3, 2, True)]

    def fully_masked() -> None:
        for given in blind():
            compare(given)

    def large_scores() -> None:
        for sign in (1.0, -1.0):
            given = draw(2, 2, 4, 4, 4, True)
            query, key = np.abs(given.query) * 200 + 50, sign * (np.abs(given.key) * 20 + 50)
            compare(masked(given._replace(query=query, key=key, causal=False)), "float64", 1e-6)
            compare(given._replace(query=query, key=key), "float64", 1e-6)

    def gradient() -> None:
        compare_gradients(draw(2, 2, 4, 4, 3, True))
        compare_gradients(masked(draw(2, 1, 3, 5, 2)))

    def gradient_blind() -> None:
        for given in blind():
            compare_gradients(given)

    def shapes() -> None:
        for sizes in ((1, 1, 1, 1, 1), (0, 2, 3, 3, 2), (2, 1, 0, 3, 2)):
            compare(draw(*sizes, causal=True))

    def float64() -> None:
        compare(masked(draw(2, 2, 4, 4, 3, True)), "float64", 1e-10)

    def half() -> None:
        given = masked(draw(2, 2, 4, 6, 8, True))
        compare(given, "float16")
        for given in blind():
            compare(given, "float16")
        # Scores of a few hundred that lie close together: in float16 they would be rounded to steps of 1/4.
        near = draw(2, 1, 4, 5, 16)
        query, key = np.round(8 + near.query) / 2, np.round(8 * (8 + near.key)) / 16
        compare(near._replace(query=query, key=key), "float16")
        # Dot products of 72,000, which float16 does not hold.
        compare(Inputs(np.full((1, 2, 1, 8), 100.0), np.full((1, 3, 1, 8), 90.0), draw(1, 1, 2, 3, 8).value), "float16")

    def in_a_graph() -> None:
        run = box.make(box.define(BIND, "traced"), attention, True, "float32")
        for sizes in ((2, 2, 4, 4, 3), (3, 1, 2, 5, 2)):
            given = masked(draw(*sizes, causal=True))
            sent, mask = arguments(given, "float32")
            expect_close(box.call(run, *sent, mask), output(given), dtype="float32", what="the output in a graph")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("unmasked", "without any mask", unmasked)
    yield case("scaling", "keys of several depths", scaled)
    yield case("causal", "the causal mask, with as many queries as keys", causal)
    yield case("cached-decoding", "the causal mask with fewer queries than keys", cached)
    yield case("mask", "the mask of the keys", mask)
    yield case("both-masks", "both masks together", both)
    yield case("fully-masked-rows", "queries that may see no key at all", fully_masked)
    yield case("large-scores", "scores of very large magnitude", large_scores)
    yield case("gradients", "the gradients under masks", gradient)
    yield case("gradients-of-masked-rows", "the gradients where a query may see no key", gradient_blind)
    yield case("shapes", "one position, an empty batch, and no queries", shapes)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("float16", "half precision", half)
    yield case("unknown-sizes", "inside tf.function, with sizes that are not known", in_a_graph)
