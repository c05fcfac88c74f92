"""How long there is: the deadlines of a question and of an interview, what extends them, and whether they have passed.

Time arrives inside events. A deadline is never shortened by the service's own work: while a run or a judgement is
pending the clock stands still (`shifted`). A pause stops it, too, except in an exam.
"""

from __future__ import annotations

from dataclasses import replace

from domain import Mode, Phase, Plan, Question, Session

EXAM_SECONDS, EXAM_SECONDS_WITH_CODE = 600.0, 1500.0  # for one question, where the plan does not say
GRACE = 10.0  # seconds after its deadline in which an answer is still taken: it was on its way
_OURS = (Phase.CHOOSING, Phase.RUNNING, Phase.JUDGING)


def question_deadline(plan: Plan, question: Question, at: float) -> float | None:
    """When the time of a question asked at `at` runs out; None: never."""
    seconds = plan.seconds_per_question
    if seconds is None and plan.mode is Mode.EXAM:
        seconds = EXAM_SECONDS_WITH_CODE if question.check else EXAM_SECONDS
    return at + seconds if seconds else None


def total_deadline(plan: Plan, at: float) -> float | None:
    """When the time of an interview that begins at `at` runs out; None: never."""
    return at + plan.seconds_total if plan.seconds_total else None


def deadline(session: Session) -> float | None:
    """The moment until which the candidate has to act, in seconds since the epoch: the question's or the interview's,
    whichever is first. None where there is no limit, or the clock stands still."""
    if session.phase is not Phase.ANSWERING and not (session.phase is Phase.PAUSED and _runs_on(session)):
        return None
    current = session.current
    known = [at for at in (session.deadline, current.deadline if current else None) if at is not None]
    return min(known) if known else None


def expired(session: Session, at: float, grace: float = 0.0) -> bool:
    """Whether the deadline has passed by more than `grace` seconds."""
    until = deadline(session)
    return until is not None and at >= until + grace


def shifted(before: Session, after: Session) -> Session:
    """`after`, with its deadlines moved on by what the step took that led to it, where that time was not the
    candidate's."""
    pause = before.phase is Phase.PAUSED and not _runs_on(before) and after.phase is not Phase.PAUSED
    if not pause and before.phase not in _OURS:
        return after
    taken = max(0.0, after.last_at - before.last_at)
    if after.deadline is not None and before.deadline is not None:
        after = replace(after, deadline=after.deadline + taken)
    current, earlier = after.current, before.current
    same = current is not None and earlier is not None and current.question.id == earlier.question.id
    if same and current is not None and current.deadline is not None:
        moved = replace(current, deadline=current.deadline + taken)
        after = replace(after, results=(*after.results[:-1], moved))
    return after


def _runs_on(session: Session) -> bool:
    return session.plan.mode is Mode.EXAM
