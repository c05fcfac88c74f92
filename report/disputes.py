"""Verdicts that the candidate disputed: both looks, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from domain import PointScore, RubricPoint, Session
from report.model import DisputeReport, QuestionReport
from report.points import outcome_of
from report.words import JUDGES, OUTCOMES


def dispute_reports(session: Session, questions: Sequence[QuestionReport]) -> tuple[DisputeReport, ...]:
    """One for each dispute on a question whose verdicts are shown, in order."""
    found = []
    for result, question in zip(session.results, questions, strict=True):
        numbers = {point.id: point for point in question.points}
        for item in result.disputes:
            if item.point_id not in numbers:
                continue
            point = numbers[item.point_id]
            first, second = point.label, _label(result.question.point(item.point_id), item.second)
            told = f"Your reason: “{item.why}”. " if item.why else ""
            text = f"{told}First verdict: {first}. {_second(item.second, second)} The first verdict counts."
            found.append(DisputeReport(question.number, point.number, point.says, item.why, first, second, text))
    return tuple(found)


def _label(point: RubricPoint, second: PointScore | None) -> str:
    return OUTCOMES[outcome_of(point, second)] if second else ""


def _second(score: PointScore | None, label: str) -> str:
    if score is None:
        return "The second look is still to come."
    by = JUDGES.get(score.judged_by.judge, score.judged_by.judge)
    why = f": {score.why.rstrip('.')}" if score.why else ""
    return f"Second look ({by}): {label}{why}."
