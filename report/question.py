"""One question of the report: its points with their evidence, what was said, and what was run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from domain import (
    Mode,
    Phase,
    QuestionResult,
    Score,
    Session,
)
from report.model import (
    CoverageReport,
    ErratumReport,
    Outcome,
    PointReport,
    QuestionReport,
    ScoreReport,
)
from report.points import point_reports
from report.runs import submission_reports
from report.turns import turn_reports, turns_of
from report.words import (
    FRAMEWORKS,
    HELD_EXAM,
    HELD_OPEN,
    KINDS,
    LEVELS,
    count,
    coverage_text,
    duration,
    score_text,
    topic_name,
)

State: TypeAlias = Literal["finished", "skipped", "open", "left"]

_STATES: dict[State, str] = {
    "finished": "",
    "skipped": "You skipped this question.",
    "open": HELD_OPEN,
    "left": "This question was left open when the interview ended, so it does not count.",
}


def question_report(result: QuestionResult, at: int, session: Session) -> QuestionReport:
    """The report of the session's question number `at` (from 1).

    While an interview goes on, a question that can still be answered keeps its rubric and model answer to itself, and
    an exam all verdicts: a report is no way around the interview.
    """
    question = result.question
    exam = is_exam_running(session)
    held = exam or (result.closed_at is None and not has_ended(session))
    shown = replace(result, runs=(), scores=(), score=None) if exam else result
    turns = turns_of(result, session)
    submissions = submission_reports(shown, turns)
    points = () if held else point_reports(shown, turns, submissions)
    seconds = None if result.closed_at is None else max(0.0, round(result.closed_at - result.asked_at, 3))
    said = turn_reports(turns, points, submissions)
    follow_ups = sum(turn.kind == "follow_up" for turn in said)
    state = _state(result, session)
    return QuestionReport(
        number=at,
        id=question.id,
        title=question.title,
        topic=question.topic,
        topic_name=topic_name(question.topic),
        framework=FRAMEWORKS[question.framework],
        level=LEVELS[question.level],
        kind=KINDS[question.kind],
        ask=question.ask,
        why_chosen=result.why_chosen,
        state=state,
        state_text=HELD_EXAM if exam and state != "open" else _STATES[state],
        facts=_facts(seconds, sum(run.submitted for run in submissions), result.hints, follow_ups, question.draft),
        score=score_report(shown.score) if shown.score and not held else None,
        coverage=_coverage(points),
        points=points,
        turns=said,
        submissions=submissions,
        hints=result.hints,
        follow_ups=follow_ups,
        seconds=seconds,
        starter=question.starter,
        model_answer="" if held else question.model_answer,
        model_code="" if held else question.model_code,
        errata=() if held else tuple(ErratumReport(item.claim, item.fact, item.evidence) for item in question.errata),
        judged_by=_judged_by(points),
        rubric=next((item.judged_by.rubric for item in shown.scores if item.judged_by.rubric and not held), ""),
        reading=() if held else links(question.sources),
        sources=() if held else question.sources,
    )


def has_ended(session: Session) -> bool:
    """Whether no answer can come any more."""
    return session.phase is Phase.ENDED or session.ended_at is not None


def is_exam_running(session: Session) -> bool:
    """Whether this is an exam that has not ended: its results are not to be seen yet."""
    return session.plan.mode is Mode.EXAM and not has_ended(session)


def _state(result: QuestionResult, session: Session) -> State:
    if result.skipped:
        return "skipped"
    if result.closed_at is None:
        return "left" if has_ended(session) else "open"
    return "left" if result.score is None else "finished"


def score_report(score: Score) -> ScoreReport:
    """A score with its per cents, whole numbers from 0 to 100."""

    def percent(share: float) -> int:
        return min(100, max(0, round(share * 100)))

    low = percent(score.low / score.worth) if score.worth else 0
    high = percent(score.high / score.worth) if score.worth else 0
    return ScoreReport(
        earned=round(score.earned, 4),
        worth=round(score.worth, 4),
        low=round(score.low, 4),
        high=round(score.high, 4),
        graded=round(score.graded, 4),
        percent=None if score.value is None else percent(score.value),
        low_percent=low,
        high_percent=high,
        text=score_text(score, low, high),
    )


def cover(met: int, missing: int, wrong: int, ungraded: int, faults: int) -> CoverageReport:
    """A coverage from its counts, with its words."""
    report = CoverageReport(met, missing, wrong, ungraded, faults, "")
    return replace(report, text=coverage_text(report))


def _facts(seconds: float | None, submissions: int, hints: int, follow_ups: int, draft: str = "") -> str:
    """How the question went, in one line; of a draft, that its rubric is one."""
    parts = [f"Draft rubric, made from {draft} and reviewed by nobody"] if draft else []
    parts += [duration(seconds)] if seconds is not None else []
    if submissions:
        parts.append(count(submissions, "submission"))
    parts.append(count(hints, "hint") if hints else "no hints")
    if follow_ups:
        parts.append(count(follow_ups, "follow-up"))
    return " · ".join(parts)


def links(sources: Sequence[str]) -> tuple[str, ...]:
    """Those sources that are addresses of pages."""
    return tuple(source for source in sources if source.startswith(("https://", "http://")))


def _judged_by(points: Sequence[PointReport]) -> str:
    """The judges of a question in words: "Local judge (all-MiniLM-L6-v2, rules 3), Code run in the sandbox"."""
    names = []
    for judge in dict.fromkeys(point.judge for point in points if point.judge):
        version = f"check {judge.version}" if judge.judge == "run" and judge.version else judge.version
        facts = ", ".join(fact for fact in (judge.model, version) if fact)
        names.append(f"{judge.name} ({facts})" if facts else judge.name)
    return "; ".join(names)


def _coverage(points: Sequence[PointReport]) -> CoverageReport:
    def amount(outcome: Outcome) -> int:
        return sum(point.outcome == outcome for point in points)

    ungraded = sum(point.outcome == "ungraded" and not point.pitfall for point in points)
    return cover(amount("met"), amount("missing"), amount("wrong"), ungraded, amount("fault"))
