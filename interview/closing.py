"""What comes next in the session machine: wait for what is missing, follow up once, close the question, or end."""

from __future__ import annotations

from dataclasses import replace

from domain import Mode, Phase, Proof, QuestionResult, Session, TurnKind, UngradedReason, Verdict
from interview import feedback, lines, marking, replies, timing
from interview.steps import (
    BUSY,
    awaited_text,
    last_heard,
    put,
    require,
    require_open,
    say,
    submissions_left,
    unanswered_follow_up,
)


def _wants_words(result: QuestionResult) -> bool:
    return any(point.proof is Proof.SAID and point.worth > 0 for point in result.question.points)


def _code_settled(session: Session, result: QuestionResult) -> bool:
    """Whether there is no more code to wait for: no check, it passed, or the submissions are used up."""
    counted = marking.submissions(session, result)
    return not result.question.check or (bool(counted) and counted[-1].passed) or not submissions_left(session)


def go_on(session: Session, at: float, draw: float) -> Session:
    """After an answer was run and judged: wait for what is still missing, follow up once, or close the question."""
    result = session.results[-1]
    session = replace(session, phase=Phase.ANSWERING)
    words = marking.spoken(session, result.question.id)
    last = last_heard(session)
    if not _code_settled(session, result):
        if not marking.has_words(last):
            return session  # the result of the run says how many submissions are left
        said = lines.acknowledge(session, result, last, draw)
        return say(session, TurnKind.REPLY, f"{said} {lines.code_awaited(draw)}", at)
    if unanswered_follow_up(session, result):
        return session
    if _wants_words(result) and not words:
        if not result.question.check:
            return say(session, TurnKind.REPLY, lines.words_awaited(draw), at)
        passed = marking.submissions(session, result)[-1].passed
        return say(session, TurnKind.FOLLOW_UP, lines.explain_code(passed, draw), at)
    target = marking.follow_up_target(result) if _may_follow_up(session, result) else None
    if target is not None:
        return put(session, replace(result, following_up=target.id), Phase.JUDGING)
    return _close(session, at, draw, why="You did not speak about this.")


def _may_follow_up(session: Session, result: QuestionResult) -> bool:
    """Whether one more follow-up is worth a try: the last one, if any, was answered with something."""
    if not result.follow_ups:
        return True
    last = next((item for item in result.scores if item.point_id == result.follow_ups[-1]), None)
    got = last is not None and (last.verdict is Verdict.MET or last.reason is UngradedReason.UNCERTAIN)
    return got and len(result.follow_ups) < session.most_follow_ups


def pause(session: Session, at: float, draw: float) -> Session:
    """Wait for the candidate to come back."""
    text = replies.paused(timed=timing.deadline(session) is not None and session.plan.mode is Mode.EXAM, draw=draw)
    session = say(session, TurnKind.REPLY, text, at)
    return replace(session, phase=Phase.PAUSED, paused_at=at)


def resume(session: Session, at: float, draw: float) -> Session:
    """The candidate is back: say once more what is being asked."""
    require(session.phase is Phase.PAUSED, "This interview is not paused.")
    session = replace(session, phase=Phase.ANSWERING, paused_at=None)
    return say(session, TurnKind.REPLY, replies.resumed(awaited_text(session), draw), at)


def time_out(session: Session, at: float, draw: float) -> Session:
    """The time ran out: what was answered counts, what was not said by then is missing. Raises UserError before the
    deadline, so that nobody can close a question by claiming that it is late."""
    over = session.deadline is not None and at >= session.deadline
    if session.phase is Phase.CHOOSING and over:
        return end(session, at, draw, replies.time_over(whole=True, draw=draw))
    require(timing.expired(session, at), "There is time left.")
    session = put(session, replace(session.results[-1], timed_out=True), Phase.ANSWERING)
    session = replace(session, paused_at=None)
    why = "The time ran out before this was said."
    if over:
        after = _settle(session, at, counts=True, why=why)
        return end(after, at, draw, replies.time_over(whole=True, draw=draw))
    session = say(session, TurnKind.REPLY, replies.time_over(whole=False, draw=draw), at)
    return _close(session, at, draw, why=why)


def skip(session: Session, at: float, draw: float) -> Session:
    """Skip the question; where something was answered already, only what is still asked of it."""
    result = require_open(session)
    if result.scores or result.runs:
        return _close(session, at, draw, why="You did not speak about this.")
    return _close(session, at, draw, why="You skipped this question.", skipped=True)


def finish(session: Session, at: float, draw: float) -> Session:
    """Close the question, after asking once for the explanation that goes with submitted code."""
    result = require_open(session)
    counted = marking.submissions(session, result)
    asked = any(turn.kind is TurnKind.FOLLOW_UP for turn in marking.turns_of(session, result.question.id))
    if counted and not asked and _wants_words(result) and not marking.spoken(session, result.question.id):
        return say(session, TurnKind.FOLLOW_UP, lines.explain_code(counted[-1].passed, draw), at)
    return skip(session, at, draw)


def stop(session: Session, at: float, draw: float) -> Session:
    """End the interview. A question that is open counts when something of it was answered, and always in an exam."""
    require(session.phase not in (Phase.RUNNING, Phase.JUDGING), BUSY)
    session = replace(session, paused_at=None)
    result = session.current
    if result is None:
        return end(session, at, draw)
    counts = bool(result.scores or result.runs) or session.plan.mode is Mode.EXAM
    return end(_settle(session, at, counts=counts, why="The interview was stopped before this was said."), at, draw)


def _settle(session: Session, at: float, *, counts: bool, why: str, skipped: bool = False) -> Session:
    """Close the open question and bring the totals up to date, without a word."""
    result = marking.closed(replace(session.results[-1], skipped=skipped), at, counts=counts, why=why)
    session = put(session, result)
    overall, topics = marking.tally(session.results)
    return replace(session, overall=overall, topics=topics)


def _close(session: Session, at: float, draw: float, *, why: str, skipped: bool = False) -> Session:
    """Close the open question with what belongs to it being said, and go on to the next one or to the end."""
    after = _settle(session, at, counts=True, why=why, skipped=skipped)
    if session.plan.mode is Mode.EXAM:
        said = say(session, TurnKind.REPLY, lines.closed_without_feedback(skipped, draw), at)
    else:
        said = say(session, TurnKind.FEEDBACK, feedback.question_feedback(after, after.results[-1]), at)
    after = replace(after, turns=said.turns)
    if len(after.results) >= after.plan.questions:
        return end(after, at, draw)
    return replace(after, phase=Phase.CHOOSING)


def end(session: Session, at: float, draw: float, opening: str = "") -> Session:
    """The last words; in an exam the feedback on every question comes first."""
    if session.plan.mode is Mode.EXAM:
        for result in session.results:
            told = feedback.question_feedback(session, result)
            session = say(session, TurnKind.FEEDBACK, told, at)
            turn = replace(session.turns[-1], question_id=result.question.id)
            session = replace(session, turns=(*session.turns[:-1], turn))
    text = " ".join(part for part in (opening, feedback.overall(session), lines.closing(draw)) if part)
    session = say(session, TurnKind.CLOSING, text, at)
    return replace(session, phase=Phase.ENDED, ended_at=at)
