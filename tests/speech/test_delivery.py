"""The arithmetic of how something was said, and the advice on it."""

from __future__ import annotations

import pytest

from domain import Delivery
from speech.audio import RATE
from speech.delivery import advice, delivery
from speech.stretches import Stretch, stretches


def at(*seconds: tuple[float, float]) -> list[Stretch]:
    return [Stretch(int(start * RATE), int(end * RATE), int(end * RATE)) for start, end in seconds]


def test_the_figures_of_a_recording() -> None:
    found = delivery("Um, you know, the don't-care torch.no_grad case.", at((1, 3), (7, 9.5)), 12 * RATE)
    assert found == Delivery(seconds=12.0, speaking=4.5, words=7, fillers=2, longest_pause=4.0)
    assert found.words_per_minute == 35.0


def test_an_empty_recording_has_figures_and_no_advice() -> None:
    found = delivery("", [], 3 * RATE)
    assert found == Delivery(3.0, 0.0, 0, 0, 0.0)
    assert advice(found) == ""


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Delivery(30, 25, 100, 0, 1.0), "fast"),
        (Delivery(40, 30, 60, 6, 1.0), "fillers"),
        (Delivery(40, 25, 60, 0, 8.4), "8 seconds"),
        (Delivery(90, 30, 60, 0, 2.0), "silent"),
        (Delivery(60, 50, 60, 0, 1.0), "slowly"),
        (Delivery(40, 30, 65, 1, 1.0), "easy"),
    ],
)
def test_advice_names_the_one_thing_to_change(found: Delivery, says: str) -> None:
    assert says in advice(found)


def test_stretches_join_neighbours_up_to_what_is_heard_at_once() -> None:
    parts = at((1, 9), (10, 20), (21, 27), (40, 44))
    first, second = stretches(parts, 60 * RATE)
    assert (first.start, first.voice) == (int(0.7 * RATE), 27 * RATE)
    assert first.end == int(27.3 * RATE) and second.start == int(39.7 * RATE)
    first, second = stretches(at((0, 20), (20.2, 28.5)), 29 * RATE)
    assert first.end == second.start == int(20.1 * RATE), "no sample is recognised twice"
    assert stretches([], RATE) == []
