"""Verdicts that may be disputed, and what second looks found, as the page shows them."""

from __future__ import annotations

from domain import Dispute, PointReference, PointScore, QuestionResult, Session, Verdict
from interview.disputes import disputable, pending_dispute
from ui.text import html

_VERDICTS = {
    Verdict.MET: ("good", "✓", "met"),
    Verdict.NOT_MET: ("", "–", "not said"),
    Verdict.CONTRADICTED: ("bad", "✗", "contradicted"),
    Verdict.UNGRADED: ("gold", "?", "not graded"),
}


def choices(session: Session) -> tuple[tuple[str, str], ...]:
    """(label, value) of each verdict that may be disputed now; `reference` reads the value."""
    if pending_dispute(session) is not None:
        return ()
    numbers = {result.question.id: number for number, result in enumerate(session.results, 1)}
    found = []
    for item in disputable(session):
        result = session.results[numbers[item.question_id] - 1]
        verdict = _told(result, _first(result, item.point_id))[2]
        says = result.question.point(item.point_id).says
        found.append(
            (f"Question {numbers[item.question_id]}, {verdict}: {says}", f"{item.question_id} {item.point_id}")
        )
    return tuple(found)


def reference(value: str) -> PointReference:
    """The point of a value of `choices`; one that is nobody's where it is none."""
    question_id, _, point_id = value.partition(" ")
    return PointReference(question_id, point_id)


def second_looks(session: Session) -> str:
    """Each disputed verdict with both looks side by side, the newest first. Empty where nothing was disputed."""
    found = [(item.at, _row(result, item)) for result in session.results for item in result.disputes]
    rows = "".join(row for _, row in sorted(found, key=lambda pair: -pair[0]))
    return f'<ul class="viva-disputes">{rows}</ul>' if rows else ""


def _row(result: QuestionResult, item: Dispute) -> str:
    first = _look(result, _first(result, item.point_id), "First verdict, which counts")
    second = "<div><dt>Second look</dt><dd>under way</dd></div>"
    if item.second is not None:
        by = item.second.judged_by.judge
        second = _look(result, item.second, f"Second look, {'a new run' if by == 'run' else f'{by} judge'}")
    why = f"<p>You: <q>{html(item.why)}</q></p>" if item.why else ""
    says = html(result.question.point(item.point_id).says)
    return f"<li><p><b>{says}</b></p>{why}<dl>{first}{second}</dl></li>"


def _look(result: QuestionResult, score: PointScore, name: str) -> str:
    kind, symbol, words = _told(result, score)
    seen = f'<span class="viva-mark {kind}" aria-hidden="true">{symbol}</span>'
    return f"<div><dt>{html(name)}</dt><dd>{seen}{html(words)}</dd></div>"


def _told(result: QuestionResult, score: PointScore) -> tuple[str, str, str]:
    """Class, symbol and words of a verdict."""
    if result.question.point(score.point_id).worth < 0 and score.verdict is Verdict.MET:
        return "bad", "✗", "a fault"
    return _VERDICTS[score.verdict]


def _first(result: QuestionResult, point_id: str) -> PointScore:
    return next(item for item in result.scores if item.point_id == point_id)
