"""Where in a recording somebody speaks: Silero voice activity detection, and the stretches to recognise at once.

Nothing is recognised where no voice was found. It keeps Whisper from writing "Thanks for watching" on silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speech.audio import RATE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LONGEST = 28.0  # seconds; Whisper hears 30 s at a time
PAUSE = 0.5  # seconds without a voice that end a piece of speech
_PAD = 0.3  # seconds kept around speech, for soft beginnings and ends


@dataclass(frozen=True)
class Stretch:
    """A part [start, end) of a recording, in samples at 16 kHz. In what is to be recognised the voice ends at `voice`,
    and what follows is air."""

    start: int
    end: int
    voice: int = 0


def voiced(samples: npt.NDArray[np.float32]) -> list[Stretch]:
    """The parts in which a voice was detected, in order, without air around them, each at most 28 s."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        min_silence_duration_ms=int(1000 * PAUSE),
        speech_pad_ms=0,
        min_speech_duration_ms=100,
        max_speech_duration_s=LONGEST - 2 * _PAD,
    )
    return [Stretch(part["start"], part["end"], part["end"]) for part in get_speech_timestamps(samples, options)]


def stretches(parts: Sequence[Stretch], size: int) -> list[Stretch]:
    """What to recognise at once, of a recording of `size` samples with these voiced parts: neighbours joined up to
    28 s, with a little air around them."""
    joined: list[Stretch] = []
    most, pad = int(LONGEST * RATE), int(_PAD * RATE)
    for part in parts:
        if joined and part.end - joined[-1].start + 2 * pad <= most:
            joined[-1] = Stretch(joined[-1].start, part.end, part.end)
        else:
            joined.append(part)
    return [
        Stretch(
            max(part.start - pad, (joined[number - 1].end + part.start) // 2 if number else 0),
            min(part.end + pad, (part.end + joined[number + 1].start) // 2 if number + 1 < len(joined) else size),
            part.end,
        )
        for number, part in enumerate(joined)
    ]
