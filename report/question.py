"""One question of the report: its points with their evidence, what was said, and what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from domain import (
    CaseReference,
    JudgedBy,
    PointScore,
    QuestionResult,
    Quote,
    RubricPoint,
    Score,
    Session,
    Turn,
    UngradedReason,
    Verdict,
)
from report.model import (
    CaseMention,
    CoverageReport,
    ErratumReport,
    JudgeReport,
    Outcome,
    PointReport,
    QuestionReport,
    QuoteReport,
    ScoreReport,
    SubmissionReport,
)
from report.runs import submission_reports
from report.turns import turn_reports, turns_of
from report.words import (
    FRAMEWORKS,
    JUDGES,
    KINDS,
    LEVELS,
    NOT_JUDGED,
    OUTCOMES,
    REASONS,
    count,
    coverage_text,
    duration,
    marks,
    number,
    score_text,
    topic_name,
)

_STATES = {
    "finished": "",
    "skipped": "You skipped this question.",
    "open": "This question was still open when the report was made.",
}


def question_report(result: QuestionResult, at: int, session: Session) -> QuestionReport:
    """The report of the session's question number `at` (from 1)."""
    question = result.question
    turns = turns_of(result, session)
    submissions = submission_reports(result.runs, turns)
    points = _points(result, turns, submissions)
    seconds = None if result.closed_at is None else max(0.0, round(result.closed_at - result.asked_at, 3))
    said = turn_reports(turns, points, submissions)
    follow_ups = max(sum(turn.kind == "follow_up" for turn in said), len(result.follow_ups))
    state: Literal["finished", "skipped", "open"] = "open" if result.closed_at is None else "finished"
    if result.skipped:
        state = "skipped"
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
        state_text=_STATES[state],
        facts=_facts(seconds, len(submissions), result.hints, follow_ups),
        score=score_report(result.score) if result.score else None,
        coverage=_coverage(points),
        points=points,
        turns=said,
        submissions=submissions,
        hints=result.hints,
        follow_ups=follow_ups,
        seconds=seconds,
        starter=question.starter,
        model_answer=question.model_answer,
        model_code=question.model_code,
        errata=tuple(ErratumReport(item.claim, item.fact, item.evidence) for item in question.errata),
        judged_by=_judged_by(points),
        reading=tuple(source for source in question.sources if source.startswith(("https://", "http://"))),
        sources=question.sources,
    )


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


def _facts(seconds: float | None, submissions: int, hints: int, follow_ups: int) -> str:
    """How the question went, in one line."""
    parts = [duration(seconds)] if seconds is not None else []
    if submissions:
        parts.append(count(submissions, "submission"))
    parts.append(count(hints, "hint") if hints else "no hints")
    if follow_ups:
        parts.append(count(follow_ups, "follow-up"))
    return " · ".join(parts)


def _points(
    result: QuestionResult, turns: Mapping[int, tuple[int, Turn]], submissions: Sequence[SubmissionReport]
) -> tuple[PointReport, ...]:
    scores = {score.point_id: score for score in result.scores}
    runs = {run.id: at for at, run in enumerate(result.runs)}
    return tuple(
        _point(point, at + 1, scores.get(point.id), turns, runs, submissions)
        for at, point in enumerate(result.question.points)
    )


def _point(
    point: RubricPoint,
    at: int,
    score: PointScore | None,
    turns: Mapping[int, tuple[int, Turn]],
    runs: Mapping[str, int],
    submissions: Sequence[SubmissionReport],
) -> PointReport:
    outcome = _outcome(point, score)
    evidence = score.evidence if score else ()
    reason = score.reason if score else None
    return PointReport(
        number=at,
        id=point.id,
        says=point.says,
        worth=point.worth,
        pitfall=point.worth < 0,
        proof=point.proof.value,
        verdict=score.verdict.value if score else Verdict.UNGRADED.value,
        outcome=outcome,
        label=OUTCOMES[outcome],
        marks=_marks(point, score, outcome),
        credit=score.credit if score else 1.0,
        why=score.why if score else "",
        matters=point.why,
        correction=_correction(point, score, outcome),
        reason=(reason.value if reason else "not_judged") if outcome == "ungraded" else "",
        reason_text=_reason_text(reason, score) if outcome == "ungraded" else "",
        confidence=round(score.confidence, 4) if score else 0.0,
        quotes=tuple(quote for item in evidence if isinstance(item, Quote) and (quote := _quote(item, turns))),
        cases=tuple(
            case for item in evidence if isinstance(item, CaseReference) for case in _cases(item, runs, submissions)
        ),
        judge=judge_report(score.judged_by) if score else None,
    )


def _outcome(point: RubricPoint, score: PointScore | None) -> Outcome:
    if score is None or score.verdict is Verdict.UNGRADED:
        return "ungraded"
    if point.worth < 0:
        return "fault" if score.verdict is Verdict.MET else "avoided"
    if score.verdict is Verdict.MET:
        return "met"
    return "wrong" if score.verdict is Verdict.CONTRADICTED else "missing"


def _marks(point: RubricPoint, score: PointScore | None, outcome: Outcome) -> str:
    """What the point brought, in words. The sums are the rubric's business, not ours."""
    if outcome == "fault":
        return marks(point.worth)
    if outcome == "avoided":
        return "no deduction"
    if outcome == "ungraded":
        return f"{marks(abs(point.worth))} not counted"
    earned = point.worth * score.credit if score and outcome == "met" else 0.0
    return f"{number(earned)} of {marks(point.worth)}"


def _correction(point: RubricPoint, score: PointScore | None, outcome: Outcome) -> str:
    """The judge's correction; for what was said wrongly without one, what is true."""
    if score is None or outcome not in ("wrong", "fault"):
        return ""
    return score.correction or (point.says if outcome == "wrong" else "")


def _reason_text(reason: UngradedReason | None, score: PointScore | None) -> str:
    if score is None:
        return NOT_JUDGED
    return REASONS[reason or UngradedReason.GRADER_FAILED]


def _quote(quote: Quote, turns: Mapping[int, tuple[int, Turn]]) -> QuoteReport | None:
    """The quoted words, or None where the stored text has no such place."""
    number_and_turn = turns.get(quote.turn_id)
    if number_and_turn is None:
        return None
    at, turn = number_and_turn
    if not 0 <= quote.start < quote.end <= len(turn.text):
        return None
    return QuoteReport(at, quote.start, quote.end, turn.text[quote.start : quote.end])


def _cases(
    reference: CaseReference, runs: Mapping[str, int], submissions: Sequence[SubmissionReport]
) -> list[CaseMention]:
    at = runs.get(reference.run_id)
    if at is None:
        return []
    named = [case for case in submissions[at].cases if case.name == reference.name]
    return [CaseMention(at + 1, case.name, case.aspect, case.passed) for case in named[:1]]


def judge_report(judge: JudgedBy) -> JudgeReport:
    """Who gave a verdict, with a name to show. `points` stays 0: it is counted over a whole report."""
    name = JUDGES.get(judge.judge, judge.judge)
    return JudgeReport(judge.judge, name, judge.model, judge.version, judge.note, 0)


def _judged_by(points: Sequence[PointReport]) -> str:
    """The judges of a question in words: "Local judge (all-MiniLM-L6-v2, rules 3), Code run in the sandbox"."""
    names = []
    for judge in dict.fromkeys(point.judge for point in points if point.judge):
        facts = ", ".join(fact for fact in (judge.model, judge.version) if fact)
        names.append(f"{judge.name} ({facts})" if facts else judge.name)
    return "; ".join(names)


def _coverage(points: Sequence[PointReport]) -> CoverageReport:
    def amount(outcome: Outcome) -> int:
        return sum(point.outcome == outcome for point in points)

    ungraded = sum(point.outcome == "ungraded" and not point.pitfall for point in points)
    return cover(amount("met"), amount("missing"), amount("wrong"), ungraded, amount("fault"))
