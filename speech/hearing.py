"""Recognising one recording stretch by stretch, with what an engine gets wrong put right.

Two faults of Whisper are mended here, for any engine. It may stop in the middle of a stretch, most often in noise: what
it left is recognised again. And it may go on after the last word, with "Thank you very much": words that come after the
voice has ended are dropped, and so is such a courtesy at the end of a stretch where the engine itself doubts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from domain import Transcript
from speech.audio import RATE
from speech.corrections import corrected
from speech.delivery import delivery
from speech.stretches import Stretch
from speech.words import Engine, Word, compose

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LEFT = 2.0  # seconds of voice after the last recognised word that cannot be a breath
_AFTER = 0.2  # seconds after the end of the voice in which a word may still begin
_TRIES = 4
# What Whisper, which learned from subtitles, writes where nothing more is said.
_COURTESIES = {
    *("thank you", "thank you very much", "thank you so much", "thanks", "thanks for watching", "bye", "bye bye"),
    *("thank you for watching", "see you next time", "please subscribe", "okay", "ok", "you", "the end", "so"),
    *("all right", "alright", "thats it", "im sorry", "thank you for your time", "thank you thank you"),
}
_MARKS = str.maketrans("", "", ".,!?…'’")
_SURE = 0.6  # a courtesy of which every word is this probable was said
_BEFORE = 30  # words given as what was said before


class Hearing:
    """The words of one recording so far."""

    def __init__(self, engine: Engine, terms: Sequence[str] = ()) -> None:
        self._engine = engine
        self._terms = tuple(terms)
        self.words: list[Word] = []

    def hear(self, samples: npt.NDArray[np.float32], stretch: Stretch, offset: int = 0) -> None:
        """Recognise one stretch of these samples, which begin `offset` samples into the recording.

        Raises UserError where the engine cannot be had.
        """
        start, before = stretch.start, self._before()
        for _ in range(_TRIES):
            heard = self._engine.hear(samples[start : stretch.end], self._terms, before)
            latest = (stretch.voice - start) / RATE + _AFTER
            kept = [word for word in _without_courtesy(heard) if word.start <= latest]
            self.words.extend(word.later((offset + start) / RATE) for word in kept)
            if kept:
                start += int(kept[-1].end * RATE)
                before = self._before()
            elif before:
                before = ""  # what was said before can lead it astray
            else:
                break
            if stretch.voice - start < _LEFT * RATE:
                break

    def transcript(self, voiced: Sequence[Stretch] = (), samples: int = 0, final: bool = True) -> Transcript:
        """What was heard, corrected. With `samples`, the length of the whole recording, also how it was delivered."""
        text, doubtful = compose(self.words, self._terms)
        text, doubtful, corrections = corrected(text, doubtful, self._terms)
        told = delivery(text, voiced, samples) if samples else None
        return Transcript(text, doubtful, corrections, told, self._engine.name, final)

    def _before(self) -> str:
        return "".join(word.text for word in self.words[-_BEFORE:]).strip()


def _without_courtesy(words: list[Word]) -> list[Word]:
    """The words of a stretch, without a courtesy at the end that was hardly said."""
    for size in range(min(4, len(words)), 0, -1):
        end = words[-size:]
        if _plain(end) in _COURTESIES and min(word.probability for word in end) < _SURE:
            return words[:-size]
    return words


def _plain(words: Sequence[Word]) -> str:
    return " ".join("".join(word.text for word in words).casefold().translate(_MARKS).split())
