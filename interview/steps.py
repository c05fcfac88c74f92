"""The small steps that the session machine is made of: say, hear, require, and what a session is waiting for."""

from __future__ import annotations

from dataclasses import replace

from domain import (
    Answer,
    Mode,
    Phase,
    QuestionResult,
    RunStatus,
    Session,
    Speaker,
    Turn,
    TurnKind,
    UserError,
)
from interview import marking
from interview.actions import Run
from interview.blocks import framework_of, parts

SUBMISSIONS = {Mode.PRACTICE: 5, Mode.DRILL: 5, Mode.EXAM: 1}
MOST_QUESTIONS = 10
MOST_RUNS = 20  # of one question, submissions and snippets together

OVER = "This interview has ended. Open its report, or start a new one."
PAUSED = "This interview is paused. Resume it first."
BUSY = "The interviewer is still at work on the last step. Wait a moment; if nothing happens, reload the page."


def require(holds: bool, message: str) -> None:
    if not holds:
        raise UserError(message)


def require_open(session: Session) -> QuestionResult:
    """The open question, when the session waits for the candidate. Raises UserError otherwise."""
    require(session.phase is not Phase.SETUP, "No question has been asked yet: say first what to focus on.")
    require(session.phase is not Phase.PAUSED, PAUSED)
    result = session.current
    if session.phase is not Phase.ANSWERING or result is None:
        raise UserError(BUSY)
    return result


def say(session: Session, kind: TurnKind, text: str, at: float, *, run_id: str = "", point_id: str = "") -> Session:
    current = session.current
    turn = Turn(
        id=len(session.turns),
        speaker=Speaker.INTERVIEWER,
        kind=kind,
        text=text,
        at=at,
        question_id=current.question.id if current else "",
        run_id=run_id,
        point_id=point_id,
    )
    return replace(session, turns=(*session.turns, turn))


def hear(session: Session, kind: TurnKind, answer: Answer, text: str, at: float) -> Session:
    current = session.current
    question_id = current.question.id if current else ""
    turn = Turn(len(session.turns), Speaker.CANDIDATE, kind, text, at, question_id=question_id, answer=answer)
    return replace(session, turns=(*session.turns, turn))


def put(session: Session, result: QuestionResult, phase: Phase | None = None) -> Session:
    """The session with its last result replaced, and the phase where one is given."""
    return replace(session, results=(*session.results[:-1], result), phase=phase or session.phase)


def notice(session: Session, text: str) -> Session:
    return session if not text or text in session.notices else replace(session, notices=(*session.notices, text))


def submissions_left(session: Session) -> int:
    """How many more times code may be submitted to the open question's check; 0 where it has none."""
    result = session.current
    if result is None or not result.question.check:
        return 0
    used = [run for run in marking.submissions(session, result) if run.status is not RunStatus.BOX_BROKEN]
    return max(0, SUBMISSIONS[session.plan.mode] - len(used))


def run_of(session: Session, result: QuestionResult) -> Run:
    turn = last_heard(session)
    submitted = turn.answer.code if turn.answer else ""
    code = submitted or parts(turn.text).code
    return Run(
        question_id=result.question.id,
        turn_id=turn.id,
        code=code,
        checked=bool(submitted and result.question.check),
        framework=framework_of(code, result.question),
    )


def unanswered_follow_up(session: Session, result: QuestionResult) -> Turn | None:
    """The last follow-up (also the request to explain the code), where no words have come since."""
    asked = [turn for turn in marking.turns_of(session, result.question.id) if turn.kind is TurnKind.FOLLOW_UP]
    words = marking.spoken(session, result.question.id)
    return asked[-1] if asked and (not words or words[-1].id < asked[-1].id) else None


def awaited_text(session: Session) -> str:
    """What the candidate is being asked right now: the last follow-up still unanswered, or the question itself."""
    result = session.current
    if result is None:
        return ""
    asked = unanswered_follow_up(session, result)
    return asked.text if asked else result.question.ask


def last_heard(session: Session) -> Turn:
    """The candidate's last turn. Raises UserError where they have said nothing yet."""
    for turn in reversed(session.turns):
        if turn.speaker is Speaker.CANDIDATE:
            return turn
    raise UserError("Nothing has been said yet.")
