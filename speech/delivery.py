"""How an answer was delivered: arithmetic over when somebody spoke and what was recognised. For advice, never a grade.

Whisper leaves most "um"s out, so `fillers` is a lower bound; speech with many of them shows better in the pauses.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from domain import Delivery
from speech.audio import RATE
from speech.stretches import Stretch

_FILLERS = re.compile(
    r"\b(?:u+m+|u+h+|e+r+m*|a+h+|h+m+|you know|i mean|sort of|kind of|basically|let me see)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:['’._-][^\W_]+)*")
_LEAST_WORDS = 12  # of fewer nothing can be said
_FAST, _SLOW = 185.0, 95.0  # words a minute while speaking; talks and audiobooks keep to 120 to 160
_LONG_PAUSE = 6.0  # seconds
_MANY_FILLERS = 0.06  # of all words
_MOSTLY_SILENT = 0.45  # share of the time spent speaking


def delivery(text: str, voiced: Sequence[Stretch], samples: int) -> Delivery:
    """The figures of a recording of that many samples (16 kHz). `voiced` are the parts with a voice, in order."""
    pauses = [after.start - before.end for before, after in itertools.pairwise(voiced)]
    return Delivery(
        seconds=samples / RATE,
        speaking=sum(part.end - part.start for part in voiced) / RATE,
        words=len(_WORD.findall(text)),
        fillers=len(_FILLERS.findall(text)),
        longest_pause=max(pauses, default=0) / RATE,
    )


def advice(found: Delivery) -> str:
    """One sentence of advice on how it was said, or "" where too little was said to give any."""
    if found.words < _LEAST_WORDS or found.speaking <= 0:
        return ""
    pace = 60 * found.words / found.speaking
    if pace > _FAST:
        return f"You spoke fast, {pace:.0f} words a minute; slower, with a stop after each point, is easier to follow."
    if found.fillers > _MANY_FILLERS * found.words:
        return (
            f"There were {found.fillers} fillers such as “um” or “you know”; a short silence does the same job better."
        )
    if found.longest_pause > _LONG_PAUSE:
        return (
            f"The longest pause was {found.longest_pause:.0f} seconds; saying what you are thinking about keeps "
            "the listener with you."
        )
    if found.speaking < _MOSTLY_SILENT * found.seconds:
        return "More of the time was silent than spoken; take a moment first, then say the answer in one go."
    if pace < _SLOW:
        return f"You spoke slowly, {pace:.0f} words a minute; that is clear, and leaves less time for detail."
    return f"An easy pace to follow, {pace:.0f} words a minute."
