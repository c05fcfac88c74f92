"""For whoever invited a candidate: one interview on a card, and several on the same plan as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from domain import Session
from report.build import build
from report.model import Report, ScoreReport
from report.text import visible
from report.words import count, day, points_of

_FORMULA = ("=", "+", "-", "@")


def scorecard(session: Session, made_at: float | None = None) -> str:
    """The card as plain text: scores with their bounds, topics, questions, changed verdicts, and what is not known."""
    return "\n".join(_lines(build(session, made_at))) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"Scorecard of report {report.public_id}" + (f", {_one(report.candidate)}" if report.candidate else "")
    yield f"{report.plan.text}; {day(report.started_at)}"
    yield _one(report.state_text)
    yield f"Overall: {_share(report.overall)}. {_one(report.overall_text)}"
    if report.revised:
        yield f"With the reader's verdicts: {_share(report.revised)}. Both values are kept."
    for topic in report.topics:
        told = _share(topic.score) if topic.enough else "too few questions to tell"
        yield f"  {topic.name}: {told} ({count(topic.questions, 'question')}; {topic.coverage.text})"
    for question in report.questions:
        yield f"  {question.number}. {_one(question.title)}: {points_of(question.score)}; {question.facts}"
    for item in report.overrides:
        yield f"  Changed: question {item.question}, item {item.point}: {_one(item.text)}"
    yield f"Not graded: {count(len(report.ungraded), 'item')}. Disputed: {count(len(report.disputes), 'verdict')}."
    yield report.disclaimer


def table(sessions: Sequence[Session]) -> str:
    """CSV with a row for each candidate and a column for each question that any of them was asked.

    A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    reports = [build(session) for session in sessions]
    questions = list(dict.fromkeys(question.id for report in reports for question in report.questions))
    head = ["candidate", "report", "started", "state", "per cent", "lowest", "highest", "per cent with changes"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([cell(text) for text in (*head, *questions)])
    for report in reports:
        overall = report.overall
        row = [report.candidate, report.public_id, report.started_at, report.state]
        row += [_percent(overall)] + ([str(overall.low_percent), str(overall.high_percent)] if overall else ["", ""])
        row += [_percent(report.revised)]
        found = {question.id: question.score for question in report.questions}
        row += [points_of(found[name]) if name in found else "not asked" for name in questions]
        writer.writerow([cell(text) for text in row])
    return out.getvalue()


def cell(text: str) -> str:
    """A stranger's text as one line that no spreadsheet computes."""
    line = _one(text)
    return f"'{line}" if line.startswith(_FORMULA) else line


def _one(text: str) -> str:
    return " ".join(visible(text).split())


def _percent(score: ScoreReport | None) -> str:
    return "" if score is None or score.percent is None else str(score.percent)


def _share(score: ScoreReport | None) -> str:
    if score is None:
        return "no score"
    headline = f"{score.percent} %" if score.percent is not None else "no headline"
    return headline if score.graded >= 1 else f"{headline}, between {score.low_percent} and {score.high_percent} %"
