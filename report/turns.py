"""What was said on a question, with the words that earned or contradicted a point in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain import QuestionResult, Session, Speaker, Turn, TurnKind
from report.delivery import recognised
from report.model import PointReport, Segment, SubmissionReport, TurnReport
from report.words import TURNS

_SHOWN = frozenset(TURNS)
"""Kinds of turns that a report shows. The others repeat what it says elsewhere: the question, results, feedback."""


def turns_of(result: QuestionResult, session: Session) -> dict[int, tuple[int, Turn]]:
    """The question's turns by id, each with its number on the question (from 1), in the order of the session."""
    turns = [turn for turn in session.turns if turn.question_id == result.question.id]
    return {turn.id: (at + 1, turn) for at, turn in enumerate(turns)}


def turn_reports(
    turns: Mapping[int, tuple[int, Turn]], points: Sequence[PointReport], submissions: Sequence[SubmissionReport]
) -> tuple[TurnReport, ...]:
    """The turns to show, in order. Code that was run is left to the submissions."""
    ran = {submission.turn: submission.number for submission in submissions}
    reports: list[TurnReport] = []
    for at, turn in turns.values():
        if turn.kind not in _SHOWN:
            continue
        code = turn.answer.code if turn.answer else ""
        submission = ran.get(at, 0)
        # Code that was sent from the editor: the turn's text only repeats it, and no words came with it.
        only_code = bool(code.strip()) and turn.answer is not None and not turn.answer.text.strip()
        if not (turn.text.strip() or code.strip()):
            continue
        candidate = turn.speaker is Speaker.CANDIDATE
        label = TURNS[turn.kind]
        before, put_right = recognised(turn.answer)
        if candidate and only_code:
            label = "Your code"
        elif (
            candidate and turn.kind is TurnKind.ANSWER and any(item.label.startswith("Your answer") for item in reports)
        ):
            label = "Your answer, continued"
        reports.append(
            TurnReport(
                number=at,
                speaker="candidate" if candidate else "interviewer",
                kind=turn.kind.value,
                label=label,
                segments=() if only_code else segments(turn, at, points),
                code="" if submission else code,
                submission=submission,
                seconds=turn.answer.seconds if turn.answer else None,
                edited=bool(turn.answer and turn.answer.edited),
                recognised=before,
                corrections=put_right,
            )
        )
    return tuple(reports)


def segments(turn: Turn, at: int, points: Sequence[PointReport]) -> tuple[Segment, ...]:
    """The turn's text cut wherever a quote or a misheard stretch begins or ends. `at` is the turn's number."""
    marks: list[tuple[int, int, str, int]] = []
    for point in points:
        kind = {"met": "earned", "wrong": "contradicted", "fault": "contradicted"}.get(point.outcome)
        if kind:
            marks += [(quote.start, quote.end, kind, point.number) for quote in point.quotes if quote.turn == at]
    for start, end in turn.answer.heard if turn.answer else ():
        if 0 <= start < end <= len(turn.text):
            marks.append((start, end, "misheard", 0))
    changes = sorted(
        [(start, 1, kind, point) for start, _, kind, point in marks]
        + [(end, -1, kind, point) for _, end, kind, point in marks]
    )
    ends = {(end, number) for _, end, kind, number in marks if kind != "misheard"}
    active: dict[tuple[str, int], int] = {}
    found: list[Segment] = []
    place = 0
    for where, change, kind, number in [*changes, (len(turn.text), 0, "", 0)]:
        if where > place:
            closing = tuple(sorted(point for end, point in ends if end == where))
            found.append(_segment(turn.text[place:where], active, closing))
            place = where
        if change:
            active[kind, number] = active.get((kind, number), 0) + change
    return tuple(found)


def _segment(text: str, active: Mapping[tuple[str, int], int], closing: tuple[int, ...]) -> Segment:
    now = sorted(key for key, depth in active.items() if depth > 0)
    return Segment(
        text=text,
        earned=tuple(point for kind, point in now if kind == "earned"),
        contradicted=tuple(point for kind, point in now if kind == "contradicted"),
        closing=closing,
        misheard=("misheard", 0) in now,
    )
