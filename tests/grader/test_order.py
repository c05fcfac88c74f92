"""The guard against words in no order."""

from __future__ import annotations

from random import Random

import pytest

from grader.attacks import shuffled
from grader.order import ordered

_SENTENCES = (
    "The gradients of every parameter are added to what is already stored there.",
    "When we get to the next batch the layer reads what the other parts wrote.",
    "You need to clear them before the next step, or else they keep growing.",
    "The loader hands out the samples in a new order at the start of each epoch.",
)


@pytest.mark.parametrize("times", [1, 6])
def test_sentences_are_in_order_however_alike_they_are_built(times: int) -> None:
    assert ordered(" ".join(_SENTENCES * times))
    alike = (f"When we get to round {number} the layer reads what the other parts wrote." for number in range(20))
    assert ordered(" ".join(alike))


def test_long_shuffled_texts_are_seen_through_nearly_always() -> None:
    words = " ".join(_SENTENCES * 4).split()
    passed = 0
    for seed in range(40):
        Random(seed).shuffle(words)
        passed += ordered(" ".join(words))
    assert passed <= 4
    assert not ordered(shuffled(" ".join(_SENTENCES * 4)))
