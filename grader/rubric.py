"""Rubric arithmetic: pure sums from verdicts to a score. No model ever emits a score; this module does.

The rules, in full:

1. A point with positive worth earns `worth * credit` when MET and nothing otherwise. `credit` is 1 for a point made
   unasked, 0.75 for one made only after a follow-up and 0.5 for one made only after a hint (`credit`).
2. A pitfall has negative worth and takes it away when MET, which means that the fault was committed; credit does not
   soften it. Any other verdict on a pitfall costs nothing.
3. A question never earns less than 0: pitfalls eat points, they make no debts.
4. CONTRADICTED earns what NOT_MET earns, 0. It differs in what the report says.
5. UNGRADED is neither right nor wrong. `low` counts every such point as missed and every such pitfall as committed,
   `high` every such point as earned (times its credit) and every such pitfall as avoided.
6. A point that has no verdict at all counts as UNGRADED.
7. `graded` is the share of the positive worth that has a verdict. The headline `value` is what was earned of the
   worth that was graded; it is None when less than `ENOUGH` of the worth was graded, or when nothing is to be earned.
8. Questions combine by adding points, so that a question weighs what its points are worth.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from domain import PointScore, Question, RubricPoint, Score, Verdict

ENOUGH = 0.8
AFTER_FOLLOW_UP = 0.75
AFTER_HINT = 0.5
_ROUNDING = 1e-9


def credit(*, follow_up: bool = False, hint: bool = False) -> float:
    """The share of its worth that a point earns when it came only after a follow-up or a hint (which rules)."""
    if hint:
        return AFTER_HINT
    return AFTER_FOLLOW_UP if follow_up else 1.0


def score(points: Sequence[RubricPoint], scores: Sequence[PointScore]) -> Score:
    """The score of one question, in points, by the rules above.

    Raises ValueError when two scores are for one point, or one is for a point that the rubric lacks.
    """
    by_id = {item.point_id: item for item in scores}
    if len(by_id) != len(scores):
        raise ValueError("a point was scored twice")
    if unknown := by_id.keys() - {point.id for point in points}:
        raise ValueError(f"scores for points that the rubric lacks: {', '.join(sorted(unknown))}")
    worth = earned = low = high = graded = 0.0
    for point in points:
        found = by_id.get(point.id)
        verdict = found.verdict if found else Verdict.UNGRADED
        positive = point.worth > 0
        full = point.worth * (found.credit if found and positive else 1.0)
        if positive:
            worth += point.worth
            graded += point.worth if verdict is not Verdict.UNGRADED else 0.0
        if verdict is Verdict.MET:
            earned += full
            low += full
            high += full
        elif verdict is Verdict.UNGRADED:
            low += 0.0 if positive else full
            high += full if positive else 0.0
    return _finish(max(earned, 0.0), worth, max(low, 0.0), max(high, 0.0), graded)


def combine(scores: Sequence[Score]) -> Score:
    """The score over several questions: points are added, and rule 7 is applied to the sums."""
    return _finish(
        sum(item.earned for item in scores),
        sum(item.worth for item in scores),
        sum(item.low for item in scores),
        sum(item.high for item in scores),
        sum(item.graded * item.worth for item in scores),
    )


def _finish(earned: float, worth: float, low: float, high: float, graded_worth: float) -> Score:
    """`graded_worth` is in points. A rubric that can earn nothing is wholly graded and has no headline."""
    share = graded_worth / worth if worth else 1.0
    value = min(earned / graded_worth, 1.0) if worth and share >= ENOUGH - _ROUNDING else None
    return Score(earned=earned, worth=worth, low=low, high=high, graded=share, value=value)


def rubric_hash(question: Question) -> str:
    """12 hexadecimal digits of the SHA-256 of what a judge goes by: the question's wording and all of its points."""
    judged = json.dumps([question.ask, [asdict(point) for point in question.points]], sort_keys=True, default=str)
    return hashlib.sha256(judged.encode()).hexdigest()[:12]
