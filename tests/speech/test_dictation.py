"""A recording recognised while it is being made: the same words, no end at a pause, and faults that are told."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from domain import UserError
from speech.audio import RATE, decode
from speech.dictation import LiveDictation
from speech.recognise import SpeechRecogniser
from speech.words import Word
from tests.speech.conftest import Say

TERMS = ("autograd", "requires_grad", "leaf tensor", "gradients")


def feed(dictation: LiveDictation, samples: npt.NDArray[np.float32], rate: int) -> None:
    for start in range(0, len(samples), rate // 2):
        dictation.feed(samples[start : start + rate // 2], rate)


def test_fed_piece_by_piece_it_hears_what_the_whole_recording_holds(
    recogniser: SpeechRecogniser, answer_wav: Path
) -> None:
    samples = decode(answer_wav)
    dictation = recogniser.listen(TERMS)
    feed(dictation, samples, RATE)
    final = dictation.finish()
    assert final.final and "gradients accumulate" in final.text.lower() and "operations" in final.text.lower()
    assert final.delivery is not None
    assert final.delivery.seconds == pytest.approx(len(samples) / RATE)
    assert 1.0 < final.delivery.longest_pause < 3.0
    assert 10 < final.delivery.words < 25


class Counting:
    """An engine that writes how many seconds it heard: what is cut where can be seen without a model."""

    name, sends_to = "counting", ""

    def __init__(self, fails: bool = False) -> None:
        self.heard: list[float] = []
        self.fails = fails

    def unavailable(self) -> str:
        return ""

    def load(self) -> None:
        return None

    def hear(self, samples: npt.NDArray[np.float32], terms: Sequence[str], before: str) -> list[Word]:
        if self.fails:
            raise UserError("The engine is gone.")
        seconds = len(samples) / RATE
        self.heard.append(seconds)
        return [Word(f" part{len(self.heard)}", 0.0, seconds - 0.1)]


def spoken_for(say: Say, seconds: float) -> npt.NDArray[np.float32]:
    """Speech of that length at 24 kHz, with the pauses that sentences have."""
    samples = say("The gradient of the loss is taken by the tape. It goes backwards through the graph. ")
    gap = np.zeros(18_000, np.float32)
    return np.resize(np.concatenate([samples, gap]), int(24_000 * seconds))


def test_a_long_answer_is_recognised_on_the_way_and_a_pause_does_not_end_it(say: Say) -> None:
    engine = Counting()
    dictation = LiveDictation(engine)
    speech = spoken_for(say, 20.0)
    pause = np.zeros(24_000 * 4, np.float32)
    partial = ""
    for start in range(0, len(speech), 12_000):
        dictation.feed(speech[start : start + 12_000], 24_000)
    while not partial:  # what came before a pause is there while the recording goes on
        partial = dictation.feed(np.zeros(2_400, np.float32), 24_000).text
    feed(dictation, pause, 24_000)
    feed(dictation, speech, 24_000)
    final = dictation.finish()
    assert partial == "part1" and final.text.startswith("part1 part2")
    assert final.delivery is not None and final.delivery.longest_pause > 4
    assert max(engine.heard) <= 29
    assert sum(engine.heard) < 2 * 20 + 4, "nothing is recognised twice, nor silence at all"


def test_silence_is_measured_and_holds_no_words(recogniser: SpeechRecogniser) -> None:
    dictation = recogniser.listen(TERMS)
    hiss = np.random.default_rng(0).normal(0, 0.002, RATE * 12).astype(np.float32)
    feed(dictation, hiss, RATE)
    assert dictation.silence == pytest.approx(12.0)
    assert dictation.finish().text == ""


def test_nothing_recorded_is_told() -> None:
    with pytest.raises(UserError, match="empty"):
        LiveDictation(Counting()).finish()
    muted = LiveDictation(Counting())
    muted.feed(np.zeros(RATE, np.int16), RATE)
    with pytest.raises(UserError, match="muted"):
        muted.finish()


def test_an_engine_that_fails_half_way_is_told(say: Say) -> None:
    dictation = LiveDictation(Counting(fails=True))
    with contextlib.suppress(UserError):  # told as soon as it is known, and at the end in any case
        feed(dictation, spoken_for(say, 12.0), 24_000)
    with pytest.raises(UserError, match="engine is gone"):
        dictation.finish()


def test_a_recording_that_gets_too_long_can_still_be_finished() -> None:
    engine = Counting()
    dictation = LiveDictation(engine)
    minute = np.random.default_rng(0).normal(0, 0.002, RATE * 60).astype(np.float32)
    for _ in range(20):
        dictation.feed(minute, RATE)
    with pytest.raises(UserError, match="20 minutes"):
        dictation.feed(minute, RATE)
    assert dictation.finish().delivery is not None


def test_a_cancelled_dictation_stops_its_thread(say: Say) -> None:
    before = threading.active_count()
    dictation = LiveDictation(Counting())
    feed(dictation, spoken_for(say, 2.0), 24_000)
    dictation.cancel()
    dictation.join()
    assert threading.active_count() <= before
