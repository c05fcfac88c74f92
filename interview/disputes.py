"""A verdict that the candidate disputes is looked at again, once. Both verdicts are kept, and the first one counts."""

from __future__ import annotations

from dataclasses import replace

from domain import (
    Dispute,
    Mode,
    Phase,
    PointReference,
    PointScore,
    QuestionResult,
    Session,
    TurnKind,
    UserError,
    Verdict,
)
from interview import replies
from interview.events import Disputed, JudgedAgain
from interview.steps import BUSY, require, say

_DISPUTABLE = (Verdict.NOT_MET, Verdict.CONTRADICTED, Verdict.UNGRADED)


def disputable(session: Session) -> tuple[PointReference, ...]:
    """The points whose verdict may be disputed now: told to the candidate already, not in full to their credit, and
    not disputed before."""
    if session.plan.mode is Mode.EXAM and session.phase is not Phase.ENDED:
        return ()
    found = []
    for result in session.results:
        if result.closed_at is None or result.score is None:
            continue
        done = {item.point_id for item in result.disputes}
        for item in result.scores:
            fault = result.question.point(item.point_id).worth < 0
            wanted = item.verdict is Verdict.MET if fault else item.verdict in _DISPUTABLE
            if wanted and item.point_id not in done:
                found.append(PointReference(result.question.id, item.point_id))
    return tuple(found)


def pending_dispute(session: Session) -> PointReference | None:
    """The dispute that waits for its second look, if any."""
    for result in session.results:
        for item in result.disputes:
            if item.second is None:
                return PointReference(result.question.id, item.point_id)
    return None


def disputed(session: Session, event: Disputed) -> Session:
    """The candidate disputes a verdict."""
    require(session.phase in (Phase.ANSWERING, Phase.PAUSED, Phase.ENDED), BUSY)
    return dispute(session, event.about, event.why, event.at, event.draw)


def dispute(session: Session, about: PointReference, why: str, at: float, draw: float) -> Session:
    """Note the dispute and say so. Raises UserError where that verdict cannot be disputed (any more)."""
    require(
        about in disputable(session),
        "This verdict cannot be disputed: each may be once, after its feedback was given, where it went against you.",
    )
    number, result = _find(session, about)
    known = (*result.disputes, Dispute(about.point_id, at, why[:500]))
    session = _with(session, number, replace(result, disputes=known))
    return say(session, TurnKind.REPLY, replies.disputed(result.question.point(about.point_id), draw), at)


def judged_again(session: Session, event: JudgedAgain) -> Session:
    """The second look ended."""
    if pending_dispute(session) != event.about:
        raise UserError(BUSY)
    require(event.score.point_id == event.about.point_id, "The second verdict does not fit the disputed point.")
    number, result = _find(session, event.about)
    known = tuple(
        replace(item, second=event.score) if item.point_id == event.about.point_id else item for item in result.disputes
    )
    session = _with(session, number, replace(result, disputes=known))
    first = _score(result, event.about.point_id)
    text = replies.judged_again(result.question.point(event.about.point_id), first, event.score)
    return say(session, TurnKind.REPLY, text, event.at)


def _score(result: QuestionResult, point_id: str) -> PointScore:
    return next(item for item in result.scores if item.point_id == point_id)


def _find(session: Session, about: PointReference) -> tuple[int, QuestionResult]:
    for number, result in enumerate(session.results):
        if result.question.id == about.question_id:
            return number, result
    raise UserError("This question was not asked in this interview.")


def _with(session: Session, number: int, result: QuestionResult) -> Session:
    return replace(session, results=(*session.results[:number], result, *session.results[number + 1 :]))
