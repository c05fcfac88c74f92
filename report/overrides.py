"""Verdicts that a reader of the report changed: both values, who changed them, when and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain import PointScore, Session
from report.model import OverrideReport, QuestionReport
from report.points import outcome_of
from report.words import OUTCOMES, day, moment


def override_reports(session: Session, questions: Sequence[QuestionReport]) -> tuple[OverrideReport, ...]:
    """One for each change, oldest first."""
    places = {
        result.question.id: (result, question) for result, question in zip(session.results, questions, strict=True)
    }
    found = []
    for item in session.overrides:
        result, question = places[item.about.question_id]
        point = next((point for point in question.points if point.id == item.about.point_id), None)
        if point is None:
            continue
        score = next((score for score in result.scores if score.point_id == point.id), None)
        given = replace(score, verdict=item.verdict) if isinstance(score, PointScore) else None
        second = OUTCOMES[outcome_of(result.question.point(point.id), given)]
        text = f"{point.label} by the grader, {second} by {item.by} on {day(moment(item.at))}: {item.why}"
        found.append(
            OverrideReport(
                question.number, point.number, point.says, point.label, second, item.by, moment(item.at), item.why, text
            )
        )
    return tuple(found)
