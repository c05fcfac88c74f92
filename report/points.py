"""The rubric points of a question, each with its verdict, its evidence, and what to know about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain import (
    CaseReference,
    Dispute,
    JudgedBy,
    PointScore,
    QuestionResult,
    Quote,
    RubricPoint,
    Turn,
    UngradedReason,
    Verdict,
)
from report.model import CaseMention, JudgeReport, Outcome, PointReport, QuoteReport, SubmissionReport
from report.words import JUDGES, NOT_JUDGED, OUTCOMES, REASONS, number, worth


def point_reports(
    result: QuestionResult, turns: Mapping[int, tuple[int, Turn]], submissions: Sequence[SubmissionReport]
) -> tuple[PointReport, ...]:
    scores = {score.point_id: score for score in result.scores}
    runs = {run.id: at for at, run in enumerate(result.runs)}
    disputes = {item.point_id: item for item in result.disputes}
    return tuple(
        _point(point, at + 1, scores.get(point.id), turns, runs, submissions, disputes.get(point.id))
        for at, point in enumerate(result.question.points)
    )


def _point(
    point: RubricPoint,
    at: int,
    score: PointScore | None,
    turns: Mapping[int, tuple[int, Turn]],
    runs: Mapping[str, int],
    submissions: Sequence[SubmissionReport],
    dispute: Dispute | None = None,
) -> PointReport:
    outcome = outcome_of(point, score)
    evidence = score.evidence if score else ()
    reason = score.reason if score else None
    cases = tuple(
        case for item in evidence if isinstance(item, CaseReference) for case in _cases(item, runs, submissions)
    )
    return PointReport(
        number=at,
        id=point.id,
        says=point.says,
        worth=point.worth,
        pitfall=point.worth < 0,
        proof=point.proof.value,
        verdict=score.verdict.value if score else Verdict.UNGRADED.value,
        outcome=outcome,
        label="Failed" if outcome == "missing" and cases else OUTCOMES[outcome],
        earned=_earned(point, score, outcome),
        credit=score.credit if score else 1.0,
        why=_why(score, dispute),
        matters=point.why,
        correction=_correction(point, score, outcome),
        reason=(reason.value if reason else "not_judged") if outcome == "ungraded" else "",
        reason_text=_reason_text(reason, score) if outcome == "ungraded" else "",
        confidence=round(score.confidence, 4) if score else 0.0,
        confidence_text=_confidence_text(score, outcome),
        quotes=tuple(quote for item in evidence if isinstance(item, Quote) and (quote := _quote(item, turns))),
        cases=cases,
        judge=judge_report(score.judged_by) if score else None,
    )


def _why(score: PointScore | None, dispute: Dispute | None) -> str:
    """The verdict's reason, and where it was disputed what the second look found."""
    why = score.why if score else ""
    if dispute is None:
        return why
    second = dispute.second
    if second is None:
        return f"{why} You disputed this; the second look is still pending.".strip()
    by = JUDGES.get(second.judged_by.judge, second.judged_by.judge)
    found = second.verdict.value.replace("_", " ")
    return f"{why} You disputed this; a second look ({by}) found: {found}. The first verdict counts.".strip()


def outcome_of(point: RubricPoint, score: PointScore | None) -> Outcome:
    """What a verdict means for a point, or for a fault to avoid."""
    if score is None or score.verdict is Verdict.UNGRADED:
        return "ungraded"
    if point.worth < 0:
        return "fault" if score.verdict is Verdict.MET else "avoided"
    if score.verdict is Verdict.MET:
        return "met"
    return "wrong" if score.verdict is Verdict.CONTRADICTED else "missing"


def _earned(point: RubricPoint, score: PointScore | None, outcome: Outcome) -> str:
    """What the point brought, in words. The sums are the rubric's business, not ours."""
    if outcome == "fault":
        return worth(point.worth)
    if outcome == "avoided":
        return "no deduction"
    if outcome == "ungraded":
        return f"{worth(abs(point.worth))} not counted"
    earned = point.worth * score.credit if score and outcome == "met" else 0.0
    return f"{number(earned)} of {worth(point.worth)}"


def _correction(point: RubricPoint, score: PointScore | None, outcome: Outcome) -> str:
    """The judge's correction; for what was said wrongly without one, what is true."""
    if score is None or outcome not in ("wrong", "fault"):
        return ""
    return score.correction or (point.says if outcome == "wrong" else "")


def _reason_text(reason: UngradedReason | None, score: PointScore | None) -> str:
    if score is None:
        return NOT_JUDGED
    return REASONS[reason or UngradedReason.GRADER_FAILED]


def _confidence_text(score: PointScore | None, outcome: Outcome) -> str:
    """How sure a judge of words was; of code runs and of what nobody judged there is nothing to say."""
    if score is None or outcome == "ungraded" or score.judged_by.judge not in ("local", "llm"):
        return ""
    return f"judge's confidence {score.confidence * 100:.0f} %"


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
    return [CaseMention(at + 1, case.name, case.aspect, case.passed, case.why) for case in named[:1]]


def judge_report(judge: JudgedBy) -> JudgeReport:
    """Who gave a verdict, with a name to show. `points` stays 0: it is counted over a whole report."""
    name = JUDGES.get(judge.judge, judge.judge)
    return JudgeReport(judge.judge, name, judge.model, judge.version, judge.note, 0)
