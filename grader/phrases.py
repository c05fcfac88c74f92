"""A question's phrasings as vectors: what an answer is compared with, and how near to a point's phrasings is near.

Phrasings of one point differ in how close they lie. So for each point two yardsticks are kept: how near its accepted
phrasings come to each other (`kin`), and how near those of the question's other points come to it (`strangers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from domain import Embedder, Proof, Question
from grader.text import content_stems

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Where a point has a single phrasing, or a question a single point: about the means over the bank.
_KIN = 0.65
_STRANGERS = 0.35


@dataclass(frozen=True)
class Phrase:
    """One phrasing of a point: accepted, or (not `accepted`) a misconception with its correction. `rivals` are the
    content words that do not tell a misconception from the truth, for accepted phrasings have them, too."""

    text: str
    point_id: str
    accepted: bool
    correction: str = ""
    rivals: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PointPhrases:
    """Columns of a point's phrasings in the table of vectors, its yardsticks (cosines), and the stems that only its
    accepted phrasings or only its misconceptions have, the question's own left out."""

    accepted: tuple[int, ...]
    misconceptions: tuple[int, ...]
    kin: float
    strangers: float
    right_stems: frozenset[str]
    wrong_stems: frozenset[str]


@dataclass(frozen=True)
class Phrases:
    """All phrasings of a question's spoken points; `vectors` has shape (len(phrases), dimension). `contrasted` says
    whether any misconception is known, which is not so in a rubric derived from a reference answer."""

    phrases: tuple[Phrase, ...]
    vectors: npt.NDArray[np.float32]
    points: dict[str, PointPhrases]
    contrasted: bool


def phrases_of(question: Question, embedder: Embedder) -> Phrases:
    """The phrasings of the points that are to be said. Raises UserError when the embedding model cannot be had."""
    phrases: list[Phrase] = []
    spoken = [point for point in question.points if point.proof is Proof.SAID]
    for point in spoken:
        accepted = (point.says, *point.accepts)
        phrases += [Phrase(text, point.id, True) for text in accepted]
        rivals = frozenset().union(*(content_stems(text) for text in accepted))
        for wrong in point.misconceptions:
            phrases += [Phrase(text, point.id, False, wrong.correction, rivals) for text in wrong.says]
    vectors = embedder.encode([phrase.text for phrase in phrases])
    asked = content_stems(question.ask)
    points = {point.id: _point(point.id, phrases, vectors, asked) for point in spoken}
    return Phrases(tuple(phrases), vectors, points, any(item.misconceptions for item in points.values()))


def _point(
    point_id: str, phrases: list[Phrase], vectors: npt.NDArray[np.float32], asked: frozenset[str]
) -> PointPhrases:
    def columns(accepted: bool, own: bool) -> list[int]:
        return [
            place
            for place, phrase in enumerate(phrases)
            if phrase.accepted is accepted and (phrase.point_id == point_id) is own
        ]

    def stems(places: list[int]) -> frozenset[str]:
        return frozenset().union(*(content_stems(phrases[place].text) for place in places))

    accepted, wrong, others = columns(True, True), columns(False, True), columns(True, False)
    kin, strangers = _KIN, _STRANGERS
    if len(accepted) > 1:
        among = vectors[accepted] @ vectors[accepted].T
        among[range(len(accepted)), range(len(accepted))] = -1.0
        kin = float(among.max(1).mean())
    if others:
        strangers = float((vectors[others] @ vectors[accepted].T).max(1).mean())
    right, false = stems(accepted), stems(wrong)
    return PointPhrases(tuple(accepted), tuple(wrong), kin, strangers, right - false - asked, false - right - asked)
