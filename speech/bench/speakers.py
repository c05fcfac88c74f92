"""Synthetic speakers: hibari's one packaged voice made into several, by accent, pace and the size of the throat.

A voice is raised or lowered by resampling, as a longer or shorter vocal tract would, and the pace is set so that the
tempo stays as chosen. The accent replaces the sounds of English that speakers of many other languages replace. They
are no people; what is measured on them is a floor for comparing engines, prompts and corrections, and no promise
about anybody's accent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RATE = 24_000  # samples a second, of what `Speakers.say` returns
_BETWEEN = 0.35  # seconds between sentences
# Sounds that English has and many languages have not, and what is said for them.
_FOREIGN = str.maketrans({"θ": "s", "ð": "d", "w": "v", "ɪ": "i", "ʌ": "ɑ", "æ": "ɛ", "ʊ": "u"})


@dataclass(frozen=True)
class Speaker:
    """How somebody speaks: `pitch` scales all frequencies, `pace` is 1 for hibari's own."""

    name: str
    pitch: float = 1.0
    pace: float = 1.0
    foreign: bool = False


SPEAKERS = (
    Speaker("plain"),
    Speaker("deep and slow", pitch=0.78, pace=0.88),
    Speaker("high and fast", pitch=1.12, pace=1.2),
    Speaker("foreign accent", pitch=0.92, pace=0.92, foreign=True),
)


class Speakers:
    """Makes speech, the same each time. Loads hibari when first used."""

    def __init__(self) -> None:
        self._voice: Any = None

    def say(self, speaker: Speaker, sentences: Sequence[str]) -> npt.NDArray[np.float32]:
        """The sentences one after the other: float32 in [-1, 1], shape (samples,), 24 kHz."""
        import numpy as np

        if self._voice is None:
            from hibari import Hibari

            self._voice = Hibari()
        gap = np.zeros(int(_BETWEEN * RATE), np.float32)
        parts: list[npt.NDArray[np.float32]] = [gap]
        for text in sentences:
            for phonemes in self._voice.phonemize(text):
                sounds = phonemes.translate(_FOREIGN) if speaker.foreign else phonemes
                spoken = self._voice.from_phonemes(sounds, speed=speaker.pace / speaker.pitch, seed=1)
                parts.extend((_stretched(spoken, 1 / speaker.pitch), gap))
        samples = np.concatenate(parts)
        return (0.5 * samples / max(1e-6, float(np.abs(samples).max()))).astype(np.float32)


def _stretched(samples: npt.NDArray[np.float32], factor: float) -> npt.NDArray[np.float32]:
    """The samples played `factor` times as long, which divides all frequencies by it."""
    import numpy as np

    size = int(len(samples) * factor)
    return np.interp(np.arange(size) / factor, np.arange(len(samples)), samples).astype(np.float32)
