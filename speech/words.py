"""What an engine hears, and how it becomes the text of a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DOUBTFUL = 0.5  # a word that the engine gives less than this probability is shown as doubtful; see docs/speech.md


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

    def unavailable(self) -> str:
        """Why it cannot recognise and what would switch it on, or ""."""

    def load(self) -> None:
        """Load the weights now. Safe to call again. Raises UserError where they cannot be had."""

    def hear(self, samples: npt.NDArray[np.float32], terms: Sequence[str], before: str) -> list[Word]:
        """The words of a stretch of at most 30 s: float32, 16 kHz, shape (samples,). Times count from its start.

        `terms` are words of the field that are likely to be said, `before` the text that was said before. Raises
        UserError where the engine cannot be had.
        """


def compose(words: Sequence[Word], doubtful: float = DOUBTFUL) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of the words, and the spans of it whose words have less than this probability, neighbours joined."""
    text = ""
    spans: list[tuple[int, int]] = []
    in_doubt = False
    for word in words:
        said = word.text.strip()
        if not said:
            continue
        if text and word.text[0].isspace():
            text += " "
        start = len(text)
        text += said
        if word.probability < doubtful:
            if in_doubt:
                spans[-1] = (spans[-1][0], len(text))
            else:
                spans.append((start, len(text)))
        in_doubt = word.probability < doubtful
    return text, tuple(spans)
