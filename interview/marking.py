"""What verdicts mean for the conversation: which points to judge, to follow up, to hint at, and what they earn.

Pure functions over a question's result and its turns. The arithmetic itself is `grader.rubric`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from domain import (
    JudgedBy,
    PointScore,
    Proof,
    Question,
    QuestionResult,
    Quote,
    RubricPoint,
    RunReport,
    RunStatus,
    Score,
    Session,
    Speaker,
    TopicScore,
    Turn,
    TurnKind,
    UngradedReason,
    Verdict,
)
from grader.cases import score_cases
from grader.rubric import combine, credit, rubric_hash, score
from interview.blocks import parts

_UNCLEAR = (UngradedReason.UNCERTAIN, UngradedReason.UNINTELLIGIBLE)


def turns_of(session: Session, question_id: str) -> list[Turn]:
    """The turns that belong to a question, oldest first."""
    return [turn for turn in session.turns if turn.question_id == question_id]


def has_words(turn: Turn) -> bool:
    """Whether an ANSWER turn says something beside code. Code alone is run, and never judged as if it were words: a
    fragment that cannot be checked must not lower a verdict."""
    return turn.kind is TurnKind.ANSWER and turn.answer is not None and bool(parts(turn.answer.text).words)


def spoken(session: Session, question_id: str) -> list[Turn]:
    """The candidate's answers in words on a question, oldest first: what a judge reads."""
    return [turn for turn in turns_of(session, question_id) if has_words(turn)]


def asked_again(session: Session, question_id: str) -> dict[str, int]:
    """For each point of a question that was asked about again, the id of the turn that last did."""
    turns = turns_of(session, question_id)
    return {turn.point_id: turn.id for turn in turns if turn.kind is TurnKind.FOLLOW_UP and turn.point_id}


def submissions(session: Session, result: QuestionResult) -> list[RunReport]:
    """The runs that count, oldest first: of code that was submitted to the question's check, and not broken by us.

    Where the sandbox broke every one of them, the broken ones, so that the points become UNGRADED and not missed.
    """
    if not result.question.check:
        return []
    submitted = {turn.run_id for turn in turns_of(session, result.question.id) if turn.answer and turn.answer.code}
    runs = [run for run in result.runs if run.id in submitted]
    return [run for run in runs if run.status is not RunStatus.BOX_BROKEN] or runs


def verdict_of(result: QuestionResult, point: RubricPoint) -> Verdict | None:
    """The verdict on a point so far, or None."""
    found = next((item for item in result.scores if item.point_id == point.id), None)
    return found.verdict if found else None


def to_judge(result: QuestionResult) -> list[RubricPoint]:
    """The points that an answer in words is judged on: proved by words, and not MET yet."""
    return [
        point
        for point in result.question.points
        if point.proof is Proof.SAID and verdict_of(result, point) is not Verdict.MET
    ]


def follow_up_target(result: QuestionResult) -> RubricPoint | None:
    """The point most worth asking about again: the most valuable one that was missed, contradicted or left unclear.

    Where two are worth the same, what was left unclear goes first (the words may be there), then what was contradicted.
    A point that the grader failed on is not asked again: that is no fault of the candidate's.
    """

    def rank(point: RubricPoint, found: PointScore) -> tuple[float, int]:
        order = {Verdict.UNGRADED: 2, Verdict.CONTRADICTED: 1}
        return point.worth, order.get(found.verdict, 0)

    scores = {item.point_id: item for item in result.scores}
    open_points = [
        (rank(point, scores[point.id]), point)
        for point in result.question.points
        if point.proof is Proof.SAID
        and point.worth > 0
        and point.follow_up
        and point.id in scores
        and point.id not in result.follow_ups
        and _is_open(scores[point.id])
    ]
    return max(open_points, key=lambda item: item[0])[1] if open_points else None


def _is_open(found: PointScore) -> bool:
    if found.verdict is Verdict.UNGRADED:
        return found.reason in _UNCLEAR
    return found.verdict in (Verdict.NOT_MET, Verdict.CONTRADICTED)


def next_hint(session: Session, result: QuestionResult) -> tuple[RubricPoint, str] | None:
    """The next hint: on the most valuable point not shown yet, each point's hints from weak to strong."""
    given = [turn.point_id for turn in turns_of(session, result.question.id) if turn.kind is TurnKind.HINT]
    missing = [
        point for point in result.question.points if point.worth > 0 and verdict_of(result, point) is not Verdict.MET
    ]
    for point in sorted(missing, key=lambda point: -point.worth):
        level = given.count(point.id)
        if level < len(point.hints):
            return point, point.hints[level]
    return None


def merged(session: Session, result: QuestionResult, scores: Iterable[PointScore]) -> tuple[PointScore, ...]:
    """The result's scores with these in place of older ones, in the rubric's order, each with the credit it earns."""
    known = {item.point_id: item for item in result.scores}
    for item in scores:
        known[item.point_id] = replace(item, credit=_credit(session, result, item))
    return tuple(known[point.id] for point in result.question.points if point.id in known)


def _credit(session: Session, result: QuestionResult, item: PointScore) -> float:
    """A point earns less when its words came only after a follow-up, or after a hint on this very point. The turn of
    the earliest quote decides: what was said unasked and recognised late is worth what it was when it was said.
    A hint on a point that code proves came before the run that shows it, or it came too late to help."""
    if item.verdict is not Verdict.MET:
        return 1.0
    turns = turns_of(session, result.question.id)
    quotes = [evidence.turn_id for evidence in item.evidence if isinstance(evidence, Quote)]
    answers = [turn.id for turn in turns if turn.kind is TurnKind.ANSWER]
    when = min(quotes) if quotes else max(answers, default=0)
    before = [turn for turn in turns if turn.id < when and turn.speaker is Speaker.INTERVIEWER]
    by_words = result.question.point(item.point_id).proof is Proof.SAID
    return credit(
        follow_up=by_words and any(turn.kind is TurnKind.FOLLOW_UP and turn.point_id for turn in before),
        hint=any(turn.kind is TurnKind.HINT and turn.point_id == item.point_id for turn in before),
    )


def closed(result: QuestionResult, at: float, *, counts: bool, why: str) -> QuestionResult:
    """The result closed: what has no verdict yet becomes NOT_MET because of `why` (or stays out, where it does not
    count), and the score is added up."""
    if not counts:
        return replace(result, closed_at=at, following_up="", scores=(), score=None)
    known = {item.point_id: item for item in result.scores}
    by_code = {item.point_id: item for item in score_cases(result.question, ())}
    for point in result.question.points:
        if point.id not in known:
            unsaid = PointScore(point.id, Verdict.NOT_MET, why, JudgedBy("session", version="1"))
            known[point.id] = by_code.get(point.id, unsaid)
    scores = tuple(known[point.id] for point in result.question.points)
    return replace(result, closed_at=at, following_up="", scores=scores, score=score(result.question.points, scores))


def tally(results: Sequence[QuestionResult]) -> tuple[Score | None, tuple[TopicScore, ...]]:
    """The overall score and that of each topic, in the order they came up, over the closed questions that count."""
    counted = [(result.question.topic, result.score) for result in results if result.score is not None]
    if not counted:
        return None, ()
    topics: dict[str, list[Score]] = {}
    for topic, item in counted:
        topics.setdefault(topic, []).append(item)
    by_topic = tuple(TopicScore(topic, len(items), combine(items)) for topic, items in topics.items())
    return combine([item for _, item in counted]), by_topic


def aligned(points: Sequence[RubricPoint], scores: Iterable[PointScore]) -> list[PointScore]:
    """One score for each point, in order: what a judge left out is the grader's failure, what it added is dropped."""
    found = {item.point_id: item for item in scores}
    missing = "The judge gave no verdict on this point, which is a fault of the service and not of your answer."
    return [found.get(point.id) or failed(point, missing) for point in points]


def stamped(question: Question, scores: Iterable[PointScore]) -> list[PointScore]:
    """The scores with the hash of the rubric that they went by."""
    rubric = rubric_hash(question)
    return [replace(item, judged_by=replace(item.judged_by, rubric=rubric)) for item in scores]


def failed(point: RubricPoint, why: str, judge: str = "none") -> PointScore:
    """The verdict on a point that the grader failed on: none."""
    reason = UngradedReason.GRADER_FAILED
    return PointScore(point.id, Verdict.UNGRADED, why, JudgedBy(judge), confidence=0.0, reason=reason)
