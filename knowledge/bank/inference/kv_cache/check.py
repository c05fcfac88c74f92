"""Checks attend(q, k, v, cache): causal attention over all tokens so far, however they are split into calls.

The reference attends over the whole sequence at once, in numpy and float64. The cache stays in the box between calls;
its two documented entries are read and compared as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, kind, note, tensor

Floats = npt.NDArray[np.float64]

HELPERS = """
def overwrite(x):
    with torch.no_grad():
        x.fill_(7.0)


def strided(x):
    return x.transpose(1, 2).contiguous().transpose(1, 2)
"""


class Tokens(NamedTuple):
    """Queries (batch, heads, length, size), and keys and values (batch, kv_heads, length, size)."""

    q: Floats
    k: Floats
    v: Floats

    def part(self, start: int, end: int) -> Tokens:
        """The tokens from `start` to before `end`."""
        return Tokens(*(item[:, :, start:end] for item in self))


def attention(tokens: Tokens) -> Floats:
    """Causal attention over the whole sequence."""
    q, k, v = tokens
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ np.swapaxes(k, 2, 3) / np.sqrt(q.shape[3])
    length = q.shape[2]
    scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=3, keepdims=True, initial=-np.inf))
    return np.asarray(weights / weights.sum(axis=3, keepdims=True) @ v)


class Decoding:
    """One sequence that grows call by call, with its cache in the box and the reference beside it."""

    def __init__(self, box: Box, attend: Handle, tokens: Tokens, dtype: str = "float32") -> None:
        self.box, self.attend, self.tokens, self.dtype = box, attend, tokens, dtype
        self.cache = box.keep({})
        self.expected = attention(tokens)
        self.done = 0

    def send(self, count: int) -> list[tuple[Handle, Array]]:
        """Attend for the next tokens and compare; q, k and v as they were sent, kept in the box."""
        start, end = self.done, self.done + count
        sent = [tensor(item, self.dtype) for item in self.tokens.part(start, end)]
        held = [self.box.keep(item) for item in sent]
        self.attend_with(held, count)
        return list(zip(held, sent, strict=True))

    def attend_with(self, held: Sequence[Handle], count: int) -> None:
        """The same for tensors that are in the box already."""
        start, self.done = self.done, self.done + count
        output = self.box.call(self.attend, *held, self.cache)
        rtol = 1e-10 if self.dtype == "float64" else None
        what = "the output"
        expect_close(output, self.expected[:, :, start : self.done], dtype=self.dtype, rtol=rtol, what=what)

    def holds(self) -> None:
        """The cache must hold the keys and values so far, and under the documented names."""
        cache = self.box.value(self.cache)
        expect(isinstance(cache, dict), f"the cache should be a dict, and is {kind(cache)}")
        assert isinstance(cache, dict)
        for name, values in (("k", self.tokens.k), ("v", self.tokens.v)):
            expect(name in cache, f'the cache has no entry "{name}"')
            held, what = array(cache[name], f'cache["{name}"]'), f'cache["{name}"]'
            expect_close(held, values[:, :, : self.done], dtype=self.dtype, what=what)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    attend = box.get(box.load(), "attend")

    def drawn(batch: int, heads: int, length: int, size: int, kv_heads: int = 0, scale: float = 1.5) -> Tokens:
        def numbers(count: int, factor: float) -> Floats:
            values = factor * rng.normal(size=(batch, count, length, size))
            return np.asarray(values.astype(np.float32), dtype=np.float64)

        return Tokens(numbers(heads, scale), numbers(kv_heads or heads, scale), numbers(kv_heads or heads, 1.0))

    def decode(tokens: Tokens, counts: Sequence[int], dtype: str = "float32") -> Decoding:
        decoding = Decoding(box, attend, tokens, dtype)
        for count in counts:
            decoding.send(count)
        return decoding

    def documented() -> None:
        note("values", "1, 3 in the first call, 8 in the second; all queries and keys are 0")
        values = np.array([1.0, 3.0, 8.0]).reshape(1, 1, 3, 1)
        decode(Tokens(np.zeros_like(values), np.zeros_like(values), values), [2, 1])

    def prefill() -> None:
        decode(drawn(2, 3, 6, 4), [6])

    def token_by_token() -> None:
        decode(drawn(2, 2, 6, 4), [1] * 6)

    def chunks() -> None:
        decode(drawn(1, 2, 9, 5), [3, 2, 4])

    def after_prefill() -> None:
        decode(drawn(2, 2, 8, 4), [5, 1, 1, 1])

    def grouped() -> None:
        decode(drawn(2, 6, 7, 4, kv_heads=2), [4, 1, 2])
        decode(drawn(1, 4, 4, 3, kv_heads=1), [3, 1])

    def contents() -> None:
        decoding = Decoding(box, attend, drawn(2, 4, 6, 3, kv_heads=2))
        for count in (3, 1, 2):
            decoding.send(count)
            decoding.holds()

    def separate() -> None:
        one, other = (Decoding(box, attend, drawn(1, 2, 6, 4)) for _ in range(2))
        for decoding, count in ((one, 3), (other, 2), (one, 1), (other, 3), (one, 2), (other, 1)):
            decoding.send(count)
        one.holds()
        other.holds()

    def reused() -> None:
        decoding = Decoding(box, attend, drawn(1, 2, 6, 4))
        overwrite = box.define(HELPERS, "overwrite")
        for count in (3, 1, 2):
            for handle, _ in decoding.send(count):
                box.call(overwrite, handle)
        decoding.holds()

    def untouched() -> None:
        decoding = Decoding(box, attend, drawn(2, 4, 5, 4, kv_heads=2))
        held = [*decoding.send(3), *decoding.send(2)]
        for (handle, before), name in zip(held, ("q", "k", "v") * 2, strict=True):
            expect_unchanged(box, handle, before, name)

    def large() -> None:
        decode(drawn(1, 2, 6, 4, scale=30.0), [4, 2])

    def shapes() -> None:
        decode(drawn(1, 1, 3, 1), [1, 1, 1])
        decode(drawn(3, 2, 3, 2), [2, 0, 1]).holds()
        decode(drawn(0, 2, 3, 4), [2, 1])

    def float64() -> None:
        tokens = Tokens(*(rng.normal(size=shape) for shape in ((2, 4, 5, 4), (2, 2, 5, 4), (2, 2, 5, 4))))
        decode(tokens, [2, 1, 2], "float64").holds()

    def strided() -> None:
        decoding = Decoding(box, attend, drawn(2, 3, 6, 4))
        for count in (4, 1, 1):
            part = decoding.tokens.part(decoding.done, decoding.done + count)
            turned = box.define(HELPERS, "strided")
            decoding.attend_with([box.make(turned, tensor(item)) for item in part], count)

    yield case("documented-example", "the example of the question", documented, visible=True)
    yield case("prefill", "a first call with several tokens", prefill)
    yield case("token-by-token", "one token in each call", token_by_token)
    yield case("after-prefill", "a prompt at once, then token by token", after_prefill)
    yield case("chunks", "several tokens in each call", chunks)
    yield case("grouped-heads", "several query heads for one head of keys and values", grouped)
    yield case("cache-contents", "what the cache holds after each call", contents)
    yield case("separate-caches", "two sequences in turn, with a cache each", separate)
    yield case("buffers-reused", "a caller that overwrites its tensors after each call", reused)
    yield case("inputs-untouched", "that the inputs are left alone", untouched)
    yield case("large-scores", "large scores", large)
    yield case("shapes", "one element, no new token, and an empty batch", shapes)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("non-contiguous", "inputs that are not contiguous", strided)
