"""From a recording to a transcript: decode, find the speech, recognise it stretch by stretch.

A stretch ends in a pause, so that no word is cut, and is at most 28 s long, because Whisper hears 30 s at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from domain import Transcript
from speech.audio import RATE, decode
from speech.stretches import stretches
from speech.words import Engine, Word, compose


class SpeechRecogniser:
    """Implements domain.Recogniser with any engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """The engine and its weights."""
        return self._engine.name

    def unavailable(self) -> str:
        """Why nothing can be recognised and what would switch it on, or ""."""
        return self._engine.unavailable()

    def load(self) -> None:
        """Load the model now. Safe to call again."""
        self._engine.load()

    def transcribe(self, recording: Path, terms: Sequence[str] = ()) -> Iterator[Transcript]:
        """Partial transcripts, one a stretch of speech, and last the final one; its text is "" where nobody speaks."""
        samples = decode(recording)
        words: list[Word] = []
        for stretch in stretches(samples):
            if words:
                yield self._transcript(words, final=False)
            before = "".join(word.text for word in words[-40:]).strip()
            heard = self._engine.hear(samples[stretch.start : stretch.end], terms, before)
            words.extend(word.later(stretch.start / RATE) for word in heard)
        yield self._transcript(words, final=True)

    def _transcript(self, words: Sequence[Word], final: bool) -> Transcript:
        text, doubtful = compose(words)
        return Transcript(text, doubtful, engine=self._engine.name, final=final)
