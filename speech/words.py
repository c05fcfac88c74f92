"""What an engine hears, and how it becomes the text of a transcript."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# A word that the engine gives less than this probability is doubtful. On the bench's sentences that are not held out,
# base with noise and without: 45 % of the wrong words are below it, and 3.5 % of the right ones; see docs/speech.md.
DOUBTFUL = 0.6
_PIECES = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Word:
    """One word as recognised, with its punctuation, and with a space before it where it does not continue the last one
    ("auto", "-grad"). `start` and `end` in seconds; `probability` in [0, 1]."""

    text: str
    start: float
    end: float
    probability: float = 1.0

    def later(self, seconds: float) -> Word:
        """The same word at a later time."""
        return Word(self.text, self.start + seconds, self.end + seconds, self.probability)


class Engine(Protocol):
    """Recognises one stretch of speech at a time."""

    @property
    def name(self) -> str:
        """The engine and its weights, as the page calls them."""

    @property
    def sends_to(self) -> str:
        """The host that audio is sent to, or "" where it stays on this machine."""

    def unavailable(self) -> str:
        """Why it cannot recognise and what would switch it on, or ""."""

    def load(self) -> None:
        """Load the weights now. Safe to call again. Raises UserError where they cannot be had."""

    def hear(self, samples: npt.NDArray[np.float32], terms: Sequence[str], before: str) -> list[Word]:
        """The words of a stretch of at most 30 s: float32, 16 kHz, shape (samples,). Times count from its start.

        `terms` are words of the field that are likely to be said, `before` the text that was said before. Raises
        UserError where the engine cannot be had.
        """


def compose(
    words: Sequence[Word], terms: Iterable[str] = (), doubtful: float = DOUBTFUL
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of the words, and the spans of it whose words have less than this probability, neighbours joined.

    Words of the question's own terms are never doubtful: rare words have low probabilities also where they are right.
    """
    known = {piece for term in terms for piece in _PIECES.findall(term.casefold())}
    text = ""
    spans: list[tuple[int, int]] = []
    in_doubt = False
    for word in words:
        said = word.text.strip()
        if not said or (word.text[0].isspace() and not any(character.isalnum() for character in said)):
            continue
        if text and word.text[0].isspace():
            text += " "
        start = len(text)
        text += said
        doubted = word.probability < doubtful and not known.issuperset(_PIECES.findall(said.casefold()))
        if doubted and in_doubt:
            spans[-1] = (spans[-1][0], len(text))
        elif doubted:
            spans.append((start, len(text)))
        in_doubt = doubted
    return text, tuple(spans)
