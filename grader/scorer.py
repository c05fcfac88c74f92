"""From evidence to probabilities: a multinomial logistic over a few numbers of the best and the worst statement.

For each point the statement that makes it best and the one that speaks most against it are described by the same
numbers, and a logistic with one row of weights a verdict gives the probabilities of MET, NOT_MET and CONTRADICTED. The
weights are in `scorer.json`, fitted by `grader/fit.py` on the bank's labelled answers: one table of all answers, and
for measurements one for each fold of questions, in which they had no part.

A rubric without any misconception, such as one derived from a reference answer, is outside of what was fitted; there
`first_look` decides, a few constants chosen by hand.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.weigh import Weighed, negations

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TABLE = Path(__file__).with_name("scorer.json")
_CAP = 0.2
_STATED = 0.85  # first look from which on a misconception is stated outright
_BOTH = 0.15  # how much less clear a contradiction may be and still undo the point

STATEMENT = (
    "says", "nearest", "nearest_three", "canonical", "coverage", "opposed", "denies", "nearest_wrong",
    "coverage_wrong", "opposite", "margin", "cosine_margin", "behind_sibling", "above_kin", "above_strangers",
    "leaning", "words", "negations", "negations_around", "negated_unlike_right", "negated_unlike_wrong", "denied",
)  # fmt: skip
FEATURES = (
    *(f"best {name}" for name in STATEMENT),
    *(f"worst {name}" for name in STATEMENT),
    "best and worst overlap", "first look makes", "first look contradicts", "denials above half", "denials above 3/4",
)  # fmt: skip


def _statement(item: Weighed | None) -> list[float]:
    """The numbers of `STATEMENT`; all 0 where there is no statement."""
    if item is None:
        return [0.0] * len(STATEMENT)
    right, wrong = item.right, item.wrong

    def margin(first: float, second: float) -> float:
        return max(-_CAP, min(_CAP, first - second))

    def unlike(phrase: str) -> float:
        return float((item.negations > 0) != (negations(phrase) > 0))

    return [
        item.says,
        item.nearest,
        item.nearest_three,
        item.canonical,
        right.coverage if right else 0.0,
        right.opposed if right else 0.0,
        item.denies,
        item.nearest_wrong,
        wrong.coverage if wrong else 0.0,
        float(wrong is not None and wrong.opposite),
        margin(item.says, item.denies) if item.contrasted or wrong else 0.1,
        margin(item.nearest, item.nearest_wrong) if item.contrasted else 0.1,
        min(0.0, margin(item.says, item.sibling)),
        item.nearest - item.kin,
        item.nearest - item.strangers,
        max(-3.0, min(3.0, item.leaning)),
        min(len(item.statement.text.split()), 30) / 30,
        min(item.negations, 2),
        min(item.negations_around, 3),
        unlike(right.phrase.text if right else ""),
        unlike(wrong.phrase.text if wrong else ""),
        float(item.statement.denied),
    ]


def best_and_worst(weighed: Sequence[Weighed]) -> tuple[Weighed | None, Weighed | None]:
    """The statement that makes the point best, and the one that speaks most against it."""
    best = max(weighed, key=lambda item: item.makes, default=None)
    return best, max(weighed, key=lambda item: (item.contradicts, item.against), default=None)


def features(best: Weighed | None, worst: Weighed | None) -> list[float]:
    """The numbers of `FEATURES` for a point."""
    overlap = (
        best is not None
        and worst is not None
        and best.statement.turn_id == worst.statement.turn_id
        and best.statement.start < worst.statement.end
        and worst.statement.start < best.statement.end
    )
    denials = best.denials if best else 0.0
    return [
        *_statement(best),
        *_statement(worst),
        float(overlap),
        best.makes if best else 0.0,
        worst.contradicts if worst else 0.0,
        max(0.0, denials - 0.5),
        float(denials > 0.75),
    ]


@dataclass(frozen=True)
class Chances:
    """The probabilities of the three verdicts; they add up to 1."""

    met: float
    not_met: float
    contradicted: float


def first_look(best: Weighed | None, worst: Weighed | None) -> Chances:
    """The chances by the first look alone. What contradicts counts when it is clear, and about as clear as what makes
    the point."""
    met = best.makes if best else 0.0
    against = worst.contradicts if worst else 0.0
    if against < 0.5 or against <= met - _BOTH:
        return Chances(met, 1.0 - met, 0.0)
    return Chances(min(met, 1.0 - against), max(0.0, 1.0 - against - met), against)


class Scorer:
    """Weights, shape (3, len(FEATURES)), and biases, shape (3,), of the three verdicts."""

    def __init__(self, weights: npt.NDArray[np.float64], bias: npt.NDArray[np.float64]) -> None:
        self._weights, self._bias = weights, bias

    def chances(self, best: Weighed | None, worst: Weighed | None) -> Chances:
        """The probabilities for a point with these statements. A misconception that is stated outright, with nothing
        that makes the point, is one whatever the rest looks like."""
        import numpy as np

        logits = self._weights @ np.array(features(best, worst)) + self._bias
        shares = np.exp(logits - logits.max())
        met, not_met, contradicted = (shares / shares.sum()).tolist()
        stated = worst.contradicts if worst else 0.0
        if stated >= _STATED and met < 0.5:
            return Chances(min(met, 1.0 - stated), max(0.0, 1.0 - stated - met), stated)
        return Chances(met, not_met, contradicted)


@cache
def _loaded() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return loaded


def _scorer(table: dict[str, Any]) -> Scorer:
    import numpy as np

    return Scorer(np.array(table["weights"], dtype=np.float64), np.array(table["bias"], dtype=np.float64))


@cache
def shipped() -> Scorer:
    """The scorer that the service uses, fitted on all labelled answers."""
    return _scorer(_loaded()["all"])


def without(question_id: str) -> Scorer:
    """A scorer in which this question had no part, for measurements. A question that was labelled after the fit had
    no part in any, and gets the shipped one."""
    fold = _loaded()["fold_of"].get(question_id)
    return shipped() if fold is None else _fold(fold)


@cache
def _fold(number: int) -> Scorer:
    return _scorer(_loaded()["folds"][number])
