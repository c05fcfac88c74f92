"""From a recording to a transcript: decode, find the voice, recognise it stretch by stretch.

A stretch ends in a pause, so that no word is cut, and is at most 28 s long, because Whisper hears 30 s at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from domain import Transcript
from speech.audio import decode
from speech.dictation import LiveDictation
from speech.hearing import Hearing
from speech.stretches import stretches, voiced
from speech.words import Engine


class SpeechRecogniser:
    """Implements domain.Recogniser with any engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """The engine and its weights."""
        return self._engine.name

    @property
    def sends_to(self) -> str:
        """The host that audio is sent to, or "" where it stays on this machine."""
        return self._engine.sends_to

    def unavailable(self) -> str:
        """Why nothing can be recognised and what would switch it on, or ""."""
        return self._engine.unavailable()

    def load(self) -> None:
        """Load the model now. Safe to call again."""
        self._engine.load()

    def transcribe(self, recording: Path, terms: Sequence[str] = ()) -> Iterator[Transcript]:
        """Partial transcripts, one a stretch of speech, and last the final one; its text is "" where nobody speaks."""
        samples = decode(recording)
        parts = voiced(samples)
        hearing = Hearing(self._engine, terms)
        waiting = stretches(parts, len(samples))
        for number, stretch in enumerate(waiting, 1):
            hearing.hear(samples, stretch)
            if number < len(waiting):
                yield hearing.transcript(final=False)
        yield hearing.transcript(parts, len(samples))

    def listen(self, terms: Sequence[str] = ()) -> LiveDictation:
        """Begin a recording that is fed piece by piece while somebody speaks."""
        return LiveDictation(self._engine, terms)
