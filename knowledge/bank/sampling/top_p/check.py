"""Checks next_token_probabilities(logits, temperature, top_k, top_p) against numpy in float64, value by value.

Logits are drawn so that no two of a row are close and no cumulative sum lies near the bound, except where a case is
about ties or about a bound that is met exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]

HELPERS = """
def every_other(x):
    return x.repeat_interleave(2, dim=-1)[..., ::2]
"""


def softmax(row: Floats) -> Floats:
    """Of one row."""
    weights = np.exp(row - row.max())
    return np.asarray(weights / weights.sum())


def kept(row: Floats, top_k: int, top_p: float) -> npt.NDArray[np.bool_]:
    """Which tokens stay, for one row of logits that have been divided by the temperature."""
    order = np.argsort(-row, kind="stable")
    stays = np.zeros(len(row), dtype=bool)
    first = order[:top_k] if top_k else order
    before = 0.0
    for token, share in zip(first, softmax(row[first]), strict=True):
        if before >= top_p:
            break
        stays[token] = True
        before += share
    stays[order[0]] = True
    return stays


def reference(logits: Floats, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> Floats:
    """The probabilities of the next token, for logits of any number of leading dimensions."""
    rows = logits.reshape(-1, logits.shape[-1])
    result = np.zeros_like(rows)
    for index, row in enumerate(rows):
        if temperature == 0:
            result[index, int(np.argmax(row))] = 1.0
            continue
        scaled = row / temperature
        stays = kept(scaled, top_k, top_p)
        result[index, stays] = softmax(scaled[stays])
    return result.reshape(logits.shape)


class Subject:
    """The candidate's function."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.function = box.get(box.load(), "next_token_probabilities")

    def gives(self, logits: Floats, dtype: str = "float32", **options: Value) -> None:
        """Call it on these logits and compare."""
        self.gives_for(self.box.keep(tensor(logits, dtype)), logits, dtype, **options)

    def gives_for(self, held: Handle, logits: Floats, dtype: str = "float32", **options: Value) -> None:
        """The same for logits that are in the box."""
        result = self.box.call(self.function, held, **options)
        expected = reference(logits, **options)  # type: ignore[arg-type]
        if "temperature" in options:
            note("temperature", options["temperature"])
        what = "the probabilities"
        expect_close(result, expected, dtype=dtype, rtol=1e-9 if dtype == "float64" else None, what=what)
        found = array(result).data
        expect(np.array_equal(found == 0, expected == 0), "a token that is ruled out has a probability, or the reverse")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    subject = Subject(box)

    def drawn(*shape: int) -> Floats:
        """Rows of logits at distances of 0.2 to 0.7 from each other, shuffled."""
        rows = int(np.prod(shape[:-1]))
        steps = rng.uniform(0.2, 0.7, (rows, shape[-1])).cumsum(axis=1) - rng.uniform(0, 3)
        shuffled = rng.permuted(steps, axis=1).astype(np.float32)
        return np.asarray(shuffled, dtype=np.float64).reshape(shape)

    def between(row: Floats, temperature: float, count: int, top_k: int = 0) -> float:
        """A top_p that keeps exactly `count` tokens of this row: half-way between two cumulative sums."""
        scaled = np.sort(row / temperature)[::-1]
        sums = softmax(scaled[:top_k] if top_k else scaled).cumsum()
        return float((sums[count - 2] if count > 1 else 0.0) + sums[count - 1]) / 2

    def documented() -> None:
        logits = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
        note("logits", "log of 0.5, 0.3, 0.15, 0.05")
        note("top_p", 0.7)
        subject.gives(logits, top_p=0.7)

    def plain() -> None:
        subject.gives(drawn(3, 6))

    def temperature() -> None:
        for value in (rng.uniform(0.3, 0.8), rng.uniform(1.3, 3.0)):
            subject.gives(drawn(2, 6), temperature=value)

    def greedy() -> None:
        subject.gives(drawn(4, 5), temperature=0.0)
        subject.gives(drawn(2, 5), temperature=0.0, top_k=3, top_p=0.9)
        row = drawn(6)
        row[[1, 4]] = row.max() + 1.0
        subject.gives(row, temperature=0.0)

    def top_k() -> None:
        for count in (1, 2, 4):
            subject.gives(drawn(3, 6), top_k=count)
        subject.gives(drawn(2, 4), top_k=4)
        subject.gives(drawn(2, 4), top_k=9)

    def top_p() -> None:
        for count in (1, 2, 3, 5, 7):
            row = drawn(7)
            subject.gives(row, top_p=between(row, 1.0, count))

    def crossing() -> None:
        # The token that crosses the bound stays: with one sharp peak the nucleus is that one token.
        for peak in (3.0, 6.0):
            row = drawn(5)
            row[int(rng.integers(5))] = row.max() + peak
            subject.gives(row, top_p=float(rng.uniform(0.2, 0.6)))
            subject.gives(row, top_p=0.0)

    def exact() -> None:
        # Powers of two are exact in every precision: 0.5 is reached by the first token alone.
        logits = np.zeros(4)
        subject.gives(logits, top_p=0.5)
        subject.gives(logits, top_p=0.75)
        subject.gives(logits, top_p=0.25)

    def after_temperature() -> None:
        for value in (0.4, 2.5):
            row = drawn(8)
            for count in (2, 4):
                subject.gives(row, temperature=value, top_p=between(row, value, count))

    def both() -> None:
        for count in (2, 3):
            row = drawn(9)
            subject.gives(row, top_k=4, top_p=between(row, 1.0, count, top_k=4))
            subject.gives(row, temperature=1.7, top_k=5, top_p=between(row, 1.7, count, top_k=5))

    def rows() -> None:
        logits = drawn(4, 6)
        logits[1] *= 0.1
        logits[2] *= 3.0
        subject.gives(logits, top_p=0.8)
        subject.gives(drawn(2, 3, 5), top_k=2)

    def ties() -> None:
        row = drawn(6)
        row[[0, 2, 5]] = row.max() + 1.0
        subject.gives(row, top_k=2)
        subject.gives(np.zeros((2, 5)), top_k=3)
        # Among many tokens an ordinary sort no longer leaves equal ones in their order.
        subject.gives(rng.integers(0, 3, (2, 60)).astype(np.float64), top_k=25)
        subject.gives(np.zeros(64), top_p=0.25)

    def masked() -> None:
        logits = drawn(3, 6)
        logits[:, rng.integers(0, 6)] = -np.inf
        subject.gives(logits)
        subject.gives(logits, temperature=0.5, top_k=3)
        subject.gives(logits, top_p=0.6)
        subject.gives(logits, temperature=0.0)

    def large() -> None:
        subject.gives(drawn(2, 5) + 1000.0, top_p=0.7)
        subject.gives(drawn(2, 5) - 1000.0, temperature=0.5)

    def tail() -> None:
        # In float32 the first token alone rounds to 1.
        for size in (4, 6):
            row = drawn(size)
            row[int(rng.integers(size))] = row.max() + 18.0
            subject.gives(row)
            subject.gives(row, top_k=3)

    def shapes() -> None:
        subject.gives(drawn(1))
        subject.gives(drawn(1, 1), top_k=1, top_p=0.3)
        subject.gives(np.zeros((0, 5)), top_k=2, top_p=0.5)

    def float64() -> None:
        subject.gives(rng.normal(size=(3, 6)), "float64", temperature=0.75)
        row = drawn(6)
        subject.gives(row, "float64", top_k=4, top_p=between(row, 1.0, 2, top_k=4))

    def untouched() -> None:
        logits = drawn(2, 6)
        for options in ({}, {"temperature": 0.5, "top_k": 2, "top_p": 0.9}, {"temperature": 0.0}):
            sent = tensor(logits)
            held = box.keep(sent)
            box.call(subject.function, held, **options)
            expect_unchanged(box, held, sent, "the logits")

    def strided() -> None:
        logits = drawn(2, 5)
        held = box.make(box.define(HELPERS, "every_other"), tensor(logits))
        subject.gives_for(held, logits, top_k=3, top_p=0.8)

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("plain", "nothing but the softmax, with the defaults", plain)
    yield case("temperature", "temperatures below and above one", temperature)
    yield case("greedy", "temperature zero", greedy)
    yield case("top-k", "top_k, up to more than there are tokens", top_k)
    yield case("top-p", "top_p", top_p)
    yield case("crossing", "one token that is above the bound by itself", crossing)
    yield case("exact-bound", "probabilities that reach the bound exactly", exact)
    yield case("after-temperature", "top_p at a temperature other than one", after_temperature)
    yield case("both", "top_k and top_p together", both)
    yield case("rows", "rows that differ, in several dimensions", rows)
    yield case("ties", "equal logits at the edge of top_k", ties)
    yield case("masked-tokens", "tokens whose logit is minus infinity", masked)
    yield case("large-logits", "logits around 1000 and -1000", large)
    yield case("tail", "very small probabilities where nothing is ruled out", tail)
    yield case("shapes", "one token, and no rows", shapes)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("logits-untouched", "that the logits are left alone", untouched)
    yield case("non-contiguous", "logits that are not contiguous", strided)
