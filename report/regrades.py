"""What a later grading of the same answers found, beside what was found at the time."""

from __future__ import annotations

from domain import GradedAgain, PointScore, QuestionResult, Regrade, RubricPoint, Session
from report.model import AgainReport, DifferenceReport, RegradeReport, ScoreReport
from report.points import outcome_of
from report.question import is_exam_running, score_report
from report.words import OUTCOMES, count, moment

ABSENT = "–"


def regrade_reports(session: Session) -> tuple[RegradeReport, ...]:
    """One for each time that the session was graded again, oldest first."""
    return () if is_exam_running(session) else tuple(_regrade(session, item) for item in session.regrades)


def _regrade(session: Session, regrade: Regrade) -> RegradeReport:
    questions = tuple(
        _question(at, result, again)
        for at, (result, again) in enumerate(zip(session.results, regrade.questions, strict=False), 1)
    )
    overall = score_report(regrade.overall) if regrade.overall else None
    before = score_report(session.overall) if session.overall else None
    changed = sum(len(item.differences) for item in questions)
    code = (
        "Submitted code was run again." if regrade.ran else "Submitted code was not run again: its stored runs count."
    )
    text = (
        f"{_percent(overall)} overall, where the interview gave {_percent(before)}. "
        f"{count(changed, 'verdict differs', 'verdicts differ')}. {code} The score of the interview stays."
    )
    return RegradeReport(moment(regrade.at), regrade.judge, regrade.bank, regrade.ran, overall, text, questions)


def _question(at: int, result: QuestionResult, again: GradedAgain) -> AgainReport:
    return AgainReport(
        question=at,
        title=result.question.title,
        before=score_report(result.score) if result.score else None,
        after=score_report(again.score) if again.score else None,
        note=again.note,
        differences=_differences(result, again) if again.score else (),
    )


def _differences(result: QuestionResult, again: GradedAgain) -> tuple[DifferenceReport, ...]:
    before, after = _labels(result.question.points, result.scores), _labels(again.question.points, again.scores)
    says = {point.id: point.says for point in (*result.question.points, *again.question.points)}
    why = {item.point_id: item.why for item in again.scores}
    return tuple(
        DifferenceReport(said, before.get(name, ABSENT), after.get(name, ABSENT), why.get(name, ""))
        for name, said in says.items()
        if before.get(name) != after.get(name)
    )


def _labels(points: tuple[RubricPoint, ...], scores: tuple[PointScore, ...]) -> dict[str, str]:
    found = {item.point_id: item for item in scores}
    labels = {}
    for point in points:
        item = found.get(point.id)
        labels[point.id] = OUTCOMES[outcome_of(point, item)]
        if item is not None and point.worth > 0 and labels[point.id] == OUTCOMES["met"] and item.credit < 1:
            labels[point.id] += f" at {item.credit:.0%}"
    return labels


def _percent(score: ScoreReport | None) -> str:
    if score is None:
        return "no score"
    if score.percent is None:
        return f"between {score.low_percent} and {score.high_percent} %"
    return f"{score.percent} %"
