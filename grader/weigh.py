"""Each statement of an answer as evidence on each point, in numbers: what it says, what it denies, and how.

For a point and a statement: how strongly the statement says one of the accepted phrasings, how strongly it says one of
the misconceptions or the opposite of an accepted phrasing, and how strongly it says some other point of the question.
"Strongly" mixes the cosine of sentence embeddings with the share of the phrasing's telling words. `makes` and
`contradicts` are a first look at these, by which the best and the worst statement are chosen; what they amount to is
decided in `grader/scorer.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domain import Turn
from grader.clauses import Statement, is_denial
from grader.evidence import compare
from grader.phrases import Phrase, Phrases
from grader.text import content_stems, total_weight

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NEAREST = 5  # statements compared word by word with each phrasing: the nearest ones by cosine
_LEAST_COSINE = 0.2
_COSINE = 0.65  # strength = _COSINE * cosine + (1 - _COSINE) * coverage
_OPPOSED = 0.34  # share of shared words said the other way round that makes a statement an opposite,
_OPPOSITE_COVERAGE = 0.6  # where it has at least this share of the phrasing's words
_CAP = 0.2
_FEW = 3  # sentences from which on the share of denials in an answer says something
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|without|neither|nor|none|nothing|dont|doesnt|isnt|myth|untrue|false|wrong)\b|n't\b", re.I
)
_SENTENCE = re.compile(r"[^.!?\n;]+")


@dataclass(frozen=True)
class Said:
    """How strongly a statement says a phrasing, from `cosine`-weighted nearness and word `coverage`; `opposed` is the
    share of shared words said the other way round; `opposite` marks an accepted phrasing that is denied."""

    strength: float
    coverage: float
    opposed: float
    phrase: Phrase
    opposite: bool = False


@dataclass(frozen=True)
class Weighed:
    """A statement as evidence on one point. Cosines and strengths are in [-1, 1], counts are of words."""

    statement: Statement
    right: Said | None
    wrong: Said | None
    nearest: float  # cosine with the nearest accepted phrasing,
    nearest_three: float  # the mean over the nearest three,
    canonical: float  # the point as the rubric says it,
    nearest_wrong: float  # and the nearest misconception; 0 without any
    contrasted: bool  # whether the point has misconceptions to contrast with
    sibling: float  # strength of the best accepted phrasing of another point
    leaning: float  # weight of words that only accepted phrasings have, less that of words only misconceptions have
    kin: float
    strangers: float
    negations: int  # negating words of the statement,
    negations_around: int  # and of the sentences that it is part of
    denials: float  # share of the answer's sentences with a negation; 0 below `_FEW` sentences

    @property
    def says(self) -> float:
        """The strength of the best accepted phrasing, 0 for none."""
        return self.right.strength if self.right else 0.0

    @property
    def denies(self) -> float:
        """The strength of the best misconception or opposite, 0 for none."""
        return self.wrong.strength if self.wrong else 0.0

    @property
    def makes(self) -> float:
        """A first look at how likely the statement makes the point, in (0, 1)."""
        margin = _capped(self.says - self.denies) if self.contrasted or self.wrong else 0.1
        return logistic(-5.0 + 9.0 * self.says + 3.0 * margin + 14.0 * min(0.0, _capped(self.says - self.sibling)))

    @property
    def against(self) -> float:
        """A first look at how much the statement speaks against the point; the scale has no meaning of its own."""
        behind = min(0.0, _capped(self.denies - self.sibling))
        return 9.0 * self.denies + 3.0 * min(_CAP, self.denies - self.says) + 6.0 * behind

    @property
    def contradicts(self) -> float:
        """`against` as a probability; 0 where the statement says what is right about as well."""
        return 0.0 if self.denies < self.says + 0.06 else logistic(-6.0 + self.against)


def logistic(x: float) -> float:
    """1 / (1 + exp(-x)), for any x."""
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, x))))


def _capped(x: float) -> float:
    return max(-_CAP, min(_CAP, x))


def negations(text: str) -> int:
    """How many negating words a text has."""
    return len(_NEGATION.findall(text))


def weigh(
    phrases: Phrases,
    ask: str,
    usable: Sequence[Statement],
    cosines: npt.NDArray[np.float32],
    turns: Sequence[Turn],
) -> dict[str, list[Weighed]]:
    """For each spoken point, the statements that speak to it, in their order. `cosines` has a row for each statement
    and a column for each phrasing."""
    right, wrong = _said(phrases, ask, usable, cosines)
    tones = {turn.id: _tone(turn.text) for turn in turns}
    result: dict[str, list[Weighed]] = {}
    for point_id, point in phrases.points.items():
        mine, against = right[point_id], wrong[point_id]
        result[point_id] = []
        for row in sorted(mine.keys() | against.keys()):
            item = usable[row]
            near = sorted((float(cosines[row, column]) for column in point.accepted), reverse=True)
            stems = content_stems(item.text)
            around, denials = _around(item, tones[item.turn_id])
            result[point_id].append(
                Weighed(
                    item,
                    mine.get(row),
                    against.get(row),
                    near[0],
                    sum(near[:3]) / len(near[:3]),
                    float(cosines[row, point.accepted[0]]),
                    max((float(cosines[row, column]) for column in point.misconceptions), default=0.0),
                    bool(point.misconceptions),
                    max(
                        (said[row].strength for id_, said in right.items() if id_ != point_id and row in said),
                        default=0,
                    ),
                    total_weight(stems & point.right_stems) - total_weight(stems & point.wrong_stems),
                    point.kin,
                    point.strangers,
                    negations(item.text),
                    around,
                    denials,
                )
            )
    return result


def _said(
    phrases: Phrases, ask: str, usable: Sequence[Statement], cosines: npt.NDArray[np.float32]
) -> tuple[dict[str, dict[int, Said]], dict[str, dict[int, Said]]]:
    """By point and statement, the accepted phrasing that it says best, and the misconception or opposite."""
    right: dict[str, dict[int, Said]] = {point_id: {} for point_id in phrases.points}
    wrong: dict[str, dict[int, Said]] = {point_id: {} for point_id in phrases.points}
    for column, phrase in enumerate(phrases.phrases):
        for row in cosines[:, column].argsort(kind="stable")[::-1][:_NEAREST].tolist():
            cosine = float(cosines[row, column])
            if cosine < _LEAST_COSINE:
                break
            denied = usable[row].denied and not is_denial(phrase.text)
            found = compare(usable[row].core, phrase.text, ask, denied, phrase.rivals)
            opposite = found.opposed >= _OPPOSED
            if opposite and (not phrase.accepted or found.overlap < _OPPOSITE_COVERAGE):
                continue
            covered = found.overlap if opposite else found.coverage
            strength = _COSINE * cosine + (1 - _COSINE) * covered
            table = (right if phrase.accepted and not opposite else wrong)[phrase.point_id]
            if row not in table or strength > table[row].strength:
                table[row] = Said(strength, covered, found.opposed, phrase, opposite)
    return right, wrong


def _tone(text: str) -> list[tuple[int, int, int, int]]:
    """(start, end, negations, words) of each sentence."""
    return [
        (match.start(), match.end(), negations(match.group()), len(match.group().split()))
        for match in _SENTENCE.finditer(text)
    ]


def _around(item: Statement, sentences: list[tuple[int, int, int, int]]) -> tuple[int, float]:
    """Negations in the sentences around a statement, and the share of the answer's sentences that have one."""
    around = sum(count for start, end, count, _ in sentences if start < item.end and item.start < end)
    real = [count for _, _, count, length in sentences if length >= _FEW]
    return around, sum(count > 0 for count in real) / len(real) if len(real) >= _FEW else 0.0
