"""The conversation as a pure state machine: `advance(session, event) -> (session, actions)`.

Theory of operation. A session is the fold of its events over `blank`. No function here asks for the time, draws,
calls a model or runs code: all that is asked for by actions, and what comes back arrives in further events.

    SETUP --Planned--> CHOOSING --Chosen--> ANSWERING --Said/Submitted--> RUNNING --Ran--> JUDGING --Judged--> ...
      ... --> JUDGING (a follow-up is to be put) --FollowedUp--> ANSWERING
      ... --> ANSWERING (code or words are still awaited), or the question closes --> CHOOSING or ENDED
    ANSWERING --Paused--> PAUSED --Resumed--> ANSWERING;  ANSWERING --TimedOut--> CHOOSING or ENDED
    ANSWERING, PAUSED or ENDED --Disputed, JudgedAgain--> the same

What has to be done next is derived from the session alone (`pending`). So after a crash the same actions are asked
for again, and since an answer leaves RUNNING or JUDGING only by the event that holds the outcome, nothing is graded
twice. An event that does not fit the phase raises UserError with a text to show, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from domain import Answer, Mode, Phase, QuestionResult, Session, Speaker, TurnKind
from interview import documents, lines, marking, timing
from interview.actions import Action, Choose, FollowUp, Judge, JudgeAgain, Say
from interview.answering import answered, followed_up, hint, judged, ran, said
from interview.blocks import fenced
from interview.closing import end, finish, pause, resume, skip, stop, time_out
from interview.disputes import disputed, judged_again, pending_dispute
from interview.events import (
    Chosen,
    Consented,
    Created,
    Disputed,
    Dropped,
    Event,
    Finished,
    FollowedUp,
    HintAsked,
    Imported,
    Invited,
    Judged,
    JudgedAgain,
    NoneLeft,
    Overridden,
    Paused,
    Planned,
    Prepared,
    Ran,
    Regraded,
    Resumed,
    Said,
    Skipped,
    Stopped,
    Submitted,
    TimedOut,
    Uploaded,
)
from interview.invitations import invited, overridden
from interview.prepare import prepared
from interview.regrade import regraded
from interview.steps import (
    BUSY,
    MOST_QUESTIONS,
    OVER,
    awaited_text,
    hear,
    notice,
    require,
    require_open,
    run_of,
    say,
    submissions_left,
)

__all__ = [
    "MOST_QUESTIONS",
    "advance",
    "awaited_text",
    "blank",
    "fold",
    "library_open",
    "pending",
    "submissions_left",
]


def blank(session_id: str) -> Session:
    """A session to which nothing has happened yet."""
    return Session(id=session_id, seed=0, created_at=0.0)


def fold(session_id: str, events: Iterable[Event]) -> Session:
    """The session that these events make. Raises UserError when they do not fit together."""
    session = blank(session_id)
    for event in events:
        session = _apply(session, event)
    return session


def advance(session: Session, event: Event) -> tuple[Session, tuple[Action, ...]]:
    """The session after the event, what the interviewer said, and what is to be done now.

    Raises UserError where the event does not fit the session.
    """
    after = _apply(session, event)
    new = after.turns[len(session.turns) :]
    said = tuple(Say(turn) for turn in new if turn.speaker is Speaker.INTERVIEWER)
    return after, (*said, *pending(after))


def pending(session: Session) -> tuple[Action, ...]:
    """What the session waits for from us, not from the candidate: at most one action, from the session alone."""
    if disputed_point := pending_dispute(session):
        return (JudgeAgain(disputed_point),)
    if session.phase is Phase.CHOOSING:
        return (Choose(session.plan),)
    result = session.current
    if result is None or session.phase not in (Phase.RUNNING, Phase.JUDGING):
        return ()
    if session.phase is Phase.RUNNING:
        return (run_of(session, result),)
    if result.following_up:
        return (FollowUp(result.question.id, result.following_up),)
    return (Judge(result.question.id, tuple(point.id for point in marking.to_judge(result))),)


def library_open(session: Session) -> bool:
    """Whether the candidate may look things up in Viva's library now: always, but not before the end of an exam."""
    return session.plan.mode is not Mode.EXAM or session.phase is Phase.ENDED


def _apply(session: Session, event: Event) -> Session:
    after = replace(_react(session, event), last_at=event.at)
    return timing.shifted(session, after)


def _react(session: Session, event: Event) -> Session:
    match event:
        case Created():
            return _created(session, event)
        case Consented():
            require(bool(session.turns), "This interview has not been created.")
            kept = tuple(item for item in session.consents if item[0] != event.provider)
            return replace(session, consents=(*kept, (event.provider, event.agreed)))
        case Imported():
            require(bool(session.turns), "This file holds no interview.")
            text = "Imported from a file: what was graded before the import was not graded or verified here."
            return notice(replace(session, deadline=None), text)  # the clock stood still in the file
        case Disputed():
            return disputed(session, event)
        case JudgedAgain():
            return judged_again(session, event)
        case Regraded():
            return regraded(session, event)
        case Prepared():
            return prepared(session, event)
        case Invited():
            return invited(session, event)
        case Overridden():
            return overridden(session, event)
        case _:
            require(bool(session.turns), "This interview has not been created.")
            require(session.phase is not Phase.ENDED, OVER)
    match event:
        case Uploaded():
            return documents.uploaded(session, event)
        case Dropped():
            return documents.dropped(session, event)
        case Planned():
            return _planned(session, event)
        case Chosen():
            return _chosen(session, event)
        case NoneLeft():
            require(session.phase is Phase.CHOOSING, BUSY)
            return end(session, event.at, event.draw, lines.none_left(len(session.results), event.draw))
        case Said():
            return said(session, event)
        case Submitted():
            require_open(session)
            answer = Answer(text="", code=event.code)
            return answered(session, answer, fenced(event.code, "python"), event.at, event.draw)
        case Ran():
            return ran(session, event)
        case Judged():
            return judged(session, event)
        case FollowedUp():
            return followed_up(session, event)
        case HintAsked():
            require_open(session)
            return hint(session, event.at, event.draw)
        case Skipped():
            require_open(session)
            return skip(session, event.at, event.draw)
        case Finished():
            require_open(session)
            return finish(session, event.at, event.draw)
        case Stopped():
            return stop(session, event.at, event.draw)
        case Paused():
            require_open(session)
            return pause(session, event.at, event.draw)
        case Resumed():
            return resume(session, event.at, event.draw)
        case TimedOut():
            return time_out(session, event.at, event.draw)


def _created(session: Session, event: Created) -> Session:
    require(not session.turns, "This interview was created already.")
    session = replace(
        session,
        seed=event.seed,
        created_at=event.at,
        environment=event.environment,
        notices=event.notices,
        most_follow_ups=event.most_follow_ups,
    )
    return say(session, TurnKind.GREETING, lines.greeting(event.topics, event.draw), event.at)


def _planned(session: Session, event: Planned) -> Session:
    require(session.phase is Phase.SETUP, "The interview has begun already; finish it, or start a new one.")
    require(session.invitation is None or session.invitation.plan == event.plan, "The plan of this interview is fixed.")
    require(
        1 <= event.plan.questions <= MOST_QUESTIONS,
        f"An interview has from 1 to {MOST_QUESTIONS} questions, not {event.plan.questions}.",
    )
    if event.text:
        session = hear(session, TurnKind.REQUEST, Answer(event.text), event.text, event.at)
    session = replace(session, plan=event.plan, phase=Phase.CHOOSING, deadline=event.deadline)
    session = documents.planned(session)
    return say(session, TurnKind.REPLY, lines.plan_agreed(event.plan, event.note, event.draw), event.at)


def _chosen(session: Session, event: Chosen) -> Session:
    require(session.phase is Phase.CHOOSING, BUSY)
    asked = event.question
    require(not asked.draft or documents.is_draft(asked), "A draft is data only, and this one comes with a check.")
    known = {result.question.id for result in session.results}
    require(event.question.id not in known, f"The question {event.question.id} was asked already.")
    seconds = event.deadline - event.at if event.deadline is not None else 0.0
    text = lines.question(session, event.question, len(session.results) + 1, event.draw, seconds)
    result = QuestionResult(question=event.question, why_chosen=event.why, asked_at=event.at, deadline=event.deadline)
    session = replace(session, results=(*session.results, result), phase=Phase.ANSWERING)
    return say(session, TurnKind.QUESTION, text, event.at)
