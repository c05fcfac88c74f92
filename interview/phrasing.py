"""Follow-ups phrased by a language model, which may phrase and never decides: what it says is checked before use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from domain import Question, RubricPoint, Turn


@dataclass(frozen=True)
class Phrased:
    """The text to put ("": use the authored one), and what the person should know ("" mostly)."""

    text: str = ""
    notice: str = ""


class Phraser(Protocol):
    """Phrases a follow-up."""

    def follow_up(self, question: Question, point: RubricPoint, answers: Sequence[Turn]) -> Phrased:
        """The follow-up on a point, to answers oldest first. Never raises for what a model does."""
