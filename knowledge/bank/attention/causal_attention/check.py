"""attention(query, key, value, causal, padding) against numpy in float64, its gradients included.

Queries stand at the end of the keys: query i of Q may look at the keys j <= i + K - Q. PyTorch's own attention is
switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("PyTorch's own attention is switched off: do the arithmetic yourself")
    functional = torch.nn.functional
    for holder, name in (
        (functional, "scaled_dot_product_attention"),
        (functional, "multi_head_attention_forward"),
        (torch._C._nn, "scaled_dot_product_attention"),
        (torch, "_scaled_dot_product_attention_math"),
        (torch.nn, "MultiheadAttention"),
    ):
        setattr(holder, name, refuse)
"""

BIND = """
def bind(attention, causal, padding):
    return lambda query, key, value: attention(query, key, value, causal=causal, padding=padding)

def heads_last(item):  # the same values, with the heads behind the positions in memory
    return item.transpose(1, 2).contiguous().transpose(1, 2)
"""


class Inputs(NamedTuple):
    """Query (B, H, Q, D), key (B, H, K, D), value (B, H, K, V), whether causal, and the padding (B, K) or None."""

    query: Floats
    key: Floats
    value: Floats
    causal: bool = False
    padding: Mask | None = None


def weights(given: Inputs) -> Floats:
    """The attention weights (B, H, Q, K): a softmax over the keys that may be seen, and 0 where there are none."""
    scores = given.query @ given.key.swapaxes(-1, -2) / np.sqrt(given.query.shape[-1])
    queries, keys = scores.shape[-2:]
    seen = np.ones((len(scores), 1, queries, keys), dtype=bool)
    if given.causal:
        seen &= np.tri(queries, keys, keys - queries, dtype=bool)
    if given.padding is not None:
        seen &= ~given.padding[:, None, None, :]
    scores = np.where(seen, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    grown = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = grown.sum(axis=-1, keepdims=True)
    return np.asarray(grown / np.where(total > 0, total, 1.0))


def output(given: Inputs) -> Floats:
    """The right result, shape (B, H, Q, V)."""
    return np.asarray(weights(given) @ given.value)


def gradients(given: Inputs, upstream: Floats) -> list[Floats]:
    """The gradients with respect to query, key and value, by the chain rule through the softmax."""
    by_output = weights(given)
    by_weights = upstream @ given.value.swapaxes(-1, -2)
    inner = by_output * (by_weights - (by_weights * by_output).sum(-1, keepdims=True))
    inner = inner / np.sqrt(given.query.shape[-1])
    return [inner @ given.key, inner.swapaxes(-1, -2) @ given.query, by_output.swapaxes(-1, -2) @ upstream]


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    attention = box.get(box.load(), "attention")

    def draw(batch: int, heads: int, queries: int, keys: int, depth: int, causal: bool = False) -> Inputs:
        """Inputs exact in float32, the values of another depth than the keys."""
        shapes = ((queries, depth), (keys, depth), (keys, depth + 1))
        drawn = [rng.normal(size=(batch, heads, *shape)).astype(np.float32).astype(np.float64) for shape in shapes]
        return Inputs(drawn[0], drawn[1], drawn[2], causal)

    def padded(given: Inputs, least: int = 1) -> Inputs:
        """Some keys of each example are padding: at the start in one, at the end in another; `least` are not."""
        padding = np.zeros((len(given.key), given.key.shape[2]), dtype=bool)
        for row, mask in enumerate(padding):
            count = int(rng.integers(1, len(mask) - least + 1))
            mask[slice(None, count) if row % 2 else slice(len(mask) - count, None)] = True
        return given._replace(padding=padding)

    def arguments(given: Inputs, dtype: str) -> tuple[list[Array], bool, Array | None]:
        mask = None if given.padding is None else tensor(given.padding, "bool")
        return [tensor(item, dtype) for item in given[:3]], given.causal, mask

    def compare(given: Inputs, dtype: str = "float32", rtol: float | None = None) -> None:
        sent, causal, mask = arguments(given, dtype)
        got = box.call(attention, *sent, causal=causal, padding=mask)
        expect_close(got, output(given), dtype=dtype, rtol=rtol, what="the output")

    def compare_gradients(given: Inputs) -> None:
        sent, causal, mask = arguments(given, "float64")
        forward = box.make(box.define(BIND, "bind"), attention, causal, mask)
        upstream = rng.normal(size=output(given).shape)
        got = box.vjp(forward, sent, [tensor(upstream, "float64")])
        for name, found, wanted in zip(
            ("query", "key", "value"), got.gradients, gradients(given, upstream), strict=True
        ):
            expect(found is not None, f"the output does not depend on {name} as far as autograd can tell")
            expect_close(found, wanted, what=f"the gradient with respect to {name}")

    def documented() -> None:
        query, key, value = np.zeros((1, 1, 2, 1)), np.array([[[[1.0], [2.0]]]]), np.array([[[[1.0], [3.0]]]])
        note("query, key, value", [[0, 0], [1, 2], [1, 3]])
        compare(Inputs(query, key, value, True))

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

    def padding() -> None:
        compare(padded(draw(3, 2, 4, 6, 3)))

    def both() -> None:
        given = draw(2, 2, 5, 5, 3, True)
        late = np.zeros((2, 5), dtype=bool)
        late[0, 3:], late[1, int(rng.integers(1, 4))] = True, True
        compare(given._replace(padding=late))

    def masked_rows() -> list[Inputs]:
        """An example that is all padding, padding at the start under a causal mask, and more queries than keys."""
        whole = padded(draw(2, 2, 3, 4, 3))
        assert whole.padding is not None
        whole.padding[int(rng.integers(0, 2))] = True
        start = np.zeros((2, 5), dtype=bool)
        start[:, : int(rng.integers(1, 4))] = True
        return [whole, draw(2, 2, 5, 5, 3, True)._replace(padding=start), draw(1, 2, 5, 3, 2, True)]

    def fully_masked() -> None:
        for given in masked_rows():
            compare(given)

    def large_scores() -> None:
        for sign in (1.0, -1.0):
            given = draw(2, 2, 4, 4, 4, True)
            query = np.abs(given.query) * 200 + 50
            key = sign * (np.abs(given.key) * 20 + 50)
            compare(padded(given._replace(query=query, key=key, causal=False)), "float64", 1e-6)
            compare(given._replace(query=query, key=key), "float64", 1e-6)

    def gradient() -> None:
        compare_gradients(draw(2, 2, 4, 4, 3, True))
        compare_gradients(padded(draw(2, 1, 3, 5, 2)))

    def gradient_masked() -> None:
        for given in masked_rows():
            compare_gradients(given)

    def shapes() -> None:
        for sizes in ((1, 1, 1, 1, 1), (0, 2, 3, 3, 2), (2, 1, 0, 3, 2)):
            compare(draw(*sizes, causal=True))

    def float64() -> None:
        compare(padded(draw(2, 2, 4, 4, 3, True)), "float64", 1e-10)

    def views_and_inputs() -> None:
        given = padded(draw(2, 3, 4, 4, 5, True))
        sent, causal, mask = arguments(given, "float32")
        assert mask is not None
        view = box.define(BIND, "heads_last")
        held: list[Handle] = [box.make(view, item) for item in sent]
        kept = box.keep(mask)
        got = box.call(attention, *held, causal=causal, padding=kept)
        expect_close(array(got), output(given), what="the output")
        for item, before, name in zip((*held, kept), (*sent, mask), ("query", "key", "value", "padding"), strict=True):
            expect_unchanged(box, item, before, name)

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("unmasked", "without any mask", unmasked)
    yield case("scaling", "keys of several depths", scaled)
    yield case("causal", "the causal mask, with as many queries as keys", causal)
    yield case("cached-decoding", "the causal mask with fewer queries than keys", cached)
    yield case("padding", "the padding mask", padding)
    yield case("both-masks", "causal mask and padding together", both)
    yield case("fully-masked-rows", "queries that may see no key at all", fully_masked)
    yield case("large-scores", "scores of very large magnitude", large_scores)
    yield case("gradients", "the gradients under masks", gradient)
    yield case("gradients-of-masked-rows", "the gradients where a query may see no key", gradient_masked)
    yield case("shapes", "one position, an empty batch, and no queries", shapes)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("views-and-inputs", "inputs that are not contiguous, and that they are left alone", views_and_inputs)
