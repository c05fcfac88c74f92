"""The three things to study first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from domain import PointReference, Proof, QuestionResult, Reading, RubricPoint
from report.model import PassageReport, PointReport, Problem, QuestionReport, StudyItem
from report.question import links
from report.words import PROBLEMS

FIRST = 3
_WEIGHT: dict[Problem, float] = {"wrong": 1.5, "fault": 1.5, "failed": 1.0, "missing": 1.0}
"""What is believed and false is worth more of a candidate's time than what was only left out."""

_Loss: TypeAlias = tuple[float, QuestionReport, RubricPoint, PointReport, Problem]


def study_first(
    results: Sequence[QuestionResult], questions: Sequence[QuestionReport], readings: Sequence[Reading] = ()
) -> tuple[StudyItem, ...]:
    """At most three points that cost the most points, from different questions as long as there are any.

    A point's weight is the points that it cost, half as much again where something false was said. Ties go to the
    earlier question and point. Ungraded points are never here: nothing is known of them.
    """
    losses: list[_Loss] = []
    for result, question in zip(results, questions, strict=True):
        for asked, point in zip(result.question.points, question.points, strict=bool(question.points)):
            problem = _problem(point)
            if problem:
                losses.append((-abs(point.worth) * _WEIGHT[problem], question, asked, point, problem))
    losses.sort(key=lambda loss: (loss[0], loss[1].number, loss[3].number))
    firsts: list[_Loss] = []
    rest: list[_Loss] = []
    seen: set[int] = set()
    for loss in losses:
        (rest if loss[1].number in seen else firsts).append(loss)
        seen.add(loss[1].number)
    return tuple(
        _item(at + 1, question, asked, point, problem, readings)
        for at, (_, question, asked, point, problem) in enumerate([*firsts, *rest][:FIRST])
    )


def _problem(point: PointReport) -> Problem | None:
    if point.outcome in ("wrong", "fault"):
        return "wrong" if point.outcome == "wrong" else "fault"
    if point.outcome == "missing":
        return "failed" if point.proof == Proof.CHECK.value and point.cases else "missing"
    return None


def _item(
    at: int,
    question: QuestionReport,
    asked: RubricPoint,
    point: PointReport,
    problem: Problem,
    readings: Sequence[Reading],
) -> StudyItem:
    return StudyItem(
        number=at,
        topic_name=question.topic_name,
        question=question.number,
        question_title=question.title,
        point=point.number,
        problem=problem,
        problem_text=PROBLEMS[problem],
        says=point.says,
        found=_found(point),
        correction=point.correction,
        matters=point.matters,
        passages=tuple(
            PassageReport(item.title, item.text)
            for item in readings
            if item.about == PointReference(question.id, point.id)
        ),
        read=links(asked.sources) or question.reading,
    )


def study_text(items: Sequence[StudyItem], questions: Sequence[QuestionReport]) -> str:
    """What to say above the items, or in their place."""
    if items:
        return "What cost you most comes first, and what was said wrongly before what was left out."
    graded = any(point.outcome != "ungraded" for question in questions for point in question.points)
    return (
        "Nothing stands out: every point that was graded was met."
        if graded
        else "Nothing was graded, so there is nothing to recommend."
    )


def _found(point: PointReport) -> str:
    """What a code check showed: the cases that failed, or why none was reached."""
    failed = [case for case in point.cases if not case.passed]
    if not failed:
        return point.why if point.proof == Proof.CHECK.value else ""
    return "; ".join(f"{case.aspect}: {case.why}" if case.why else case.aspect for case in failed)
