"""The conversation as a pure state machine: `advance(session, event) -> (session, actions)`.

Theory of operation. A session is the fold of its events over `blank`. No function here asks for the time, draws,
calls a model or runs code: all that is asked for by actions, and what comes back arrives in further events.

    SETUP --Planned--> CHOOSING --Chosen--> ANSWERING --Said/Submitted--> RUNNING --Ran--> JUDGING --Judged--> ...
      ... --> JUDGING (a follow-up is to be put) --FollowedUp--> ANSWERING
      ... --> ANSWERING (code or words are still awaited), or the question closes --> CHOOSING or ENDED

What has to be done next is derived from the session alone (`pending`). So after a crash the same actions are asked
for again, and since an answer leaves RUNNING or JUDGING only by the event that holds the outcome, nothing is graded
twice. An event that does not fit the phase raises UserError with a text to show, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from domain import (
    Answer,
    Intent,
    Mode,
    Phase,
    Proof,
    QuestionResult,
    RunStatus,
    Session,
    Speaker,
    Turn,
    TurnKind,
    UserError,
)
from interview import feedback, lines, marking
from interview.actions import Action, Choose, FollowUp, Judge, Run, Say
from interview.blocks import fenced, framework_of, is_whole, parts
from interview.events import (
    Chosen,
    Created,
    Event,
    Finished,
    FollowedUp,
    HintAsked,
    Imported,
    Judged,
    NoneLeft,
    Planned,
    Ran,
    Said,
    Skipped,
    Stopped,
    Submitted,
)

SUBMISSIONS = {Mode.PRACTICE: 5, Mode.EXAM: 1}
MOST_RUNS = 20  # of one question, submissions and snippets together
MOST_QUESTIONS = 10


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
    if session.phase is Phase.CHOOSING:
        return (Choose(session.plan),)
    result = session.current
    if result is None or session.phase not in (Phase.RUNNING, Phase.JUDGING):
        return ()
    if session.phase is Phase.RUNNING:
        return (_run(session, result),)
    if result.following_up:
        return (FollowUp(result.question.id, result.following_up),)
    return (Judge(result.question.id, tuple(point.id for point in marking.to_judge(result))),)


def submissions_left(session: Session) -> int:
    """How many more times code may be submitted to the open question's check; 0 where it has none."""
    result = session.current
    if result is None or not result.question.check:
        return 0
    used = [run for run in marking.submissions(session, result) if run.status is not RunStatus.BOX_BROKEN]
    return max(0, SUBMISSIONS[session.plan.mode] - len(used))


def awaited_text(session: Session) -> str:
    """What the candidate is being asked right now: the last follow-up still unanswered, or the question itself."""
    result = session.current
    if result is None:
        return ""
    asked = _unanswered_follow_up(session, result)
    return asked.text if asked else result.question.ask


# ------------------------------------------------------------------------------------------------ the fold


def _apply(session: Session, event: Event) -> Session:
    match event:
        case Created():
            return _created(session, event)
        case Imported():
            _require(bool(session.turns), "This file holds no interview.")
            notice = "Imported from a file: what was graded before the import was not graded or verified here."
            return _notice(session, notice)
        case _:
            _require(bool(session.turns), "This interview has not been created.")
            _require(session.phase is not Phase.ENDED, _OVER)
    match event:
        case Planned():
            return _planned(session, event)
        case Chosen():
            return _chosen(session, event)
        case NoneLeft():
            _require(session.phase is Phase.CHOOSING, _BUSY)
            return _end(session, event.at, event.draw, lines.none_left(len(session.results), event.draw))
        case Said():
            return _said(session, event)
        case Submitted():
            _require_open(session)
            answer = Answer(text="", code=event.code)
            return _answered(session, answer, fenced(event.code, "python"), event.at, event.draw)
        case Ran():
            return _ran(session, event)
        case Judged():
            return _judged(session, event)
        case FollowedUp():
            return _followed_up(session, event)
        case HintAsked():
            _require_open(session)
            return _hint(session, event.at, event.draw)
        case Skipped():
            _require_open(session)
            return _skip(session, event.at, event.draw)
        case Finished():
            _require_open(session)
            return _finish(session, event.at, event.draw)
        case Stopped():
            return _stop(session, event.at, event.draw)


_OVER = "This interview has ended. Open its report, or start a new one."
_BUSY = "The interviewer is still at work on the last step. Wait a moment; if nothing happens, reload the page."


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise UserError(message)


def _require_open(session: Session) -> QuestionResult:
    """The open question, when the session waits for the candidate. Raises UserError otherwise."""
    _require(session.phase is not Phase.SETUP, "No question has been asked yet: say first what to focus on.")
    result = session.current
    if session.phase is not Phase.ANSWERING or result is None:
        raise UserError(_BUSY)
    return result


def _say(session: Session, kind: TurnKind, text: str, at: float, *, run_id: str = "", point_id: str = "") -> Session:
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


def _hear(session: Session, kind: TurnKind, answer: Answer, text: str, at: float) -> Session:
    current = session.current
    question_id = current.question.id if current else ""
    turn = Turn(len(session.turns), Speaker.CANDIDATE, kind, text, at, question_id=question_id, answer=answer)
    return replace(session, turns=(*session.turns, turn))


def _set(session: Session, result: QuestionResult, phase: Phase | None = None) -> Session:
    """The session with its last result replaced, and the phase where one is given."""
    return replace(session, results=(*session.results[:-1], result), phase=phase or session.phase)


def _notice(session: Session, text: str) -> Session:
    return session if not text or text in session.notices else replace(session, notices=(*session.notices, text))


# ------------------------------------------------------------------------------------------- opening, choosing


def _created(session: Session, event: Created) -> Session:
    _require(not session.turns, "This interview was created already.")
    session = replace(
        session,
        seed=event.seed,
        created_at=event.at,
        environment=event.environment,
        notices=event.notices,
    )
    return _say(session, TurnKind.GREETING, lines.greeting(event.topics, event.draw), event.at)


def _planned(session: Session, event: Planned) -> Session:
    _require(session.phase is Phase.SETUP, "The interview has begun already; finish it, or start a new one.")
    _require(
        1 <= event.plan.questions <= MOST_QUESTIONS,
        f"An interview has from 1 to {MOST_QUESTIONS} questions, not {event.plan.questions}.",
    )
    if event.text:
        session = _hear(session, TurnKind.REQUEST, Answer(event.text), event.text, event.at)
    session = replace(session, plan=event.plan, phase=Phase.CHOOSING)
    return _say(session, TurnKind.REPLY, lines.plan_agreed(event.plan, event.note, event.draw), event.at)


def _chosen(session: Session, event: Chosen) -> Session:
    _require(session.phase is Phase.CHOOSING, _BUSY)
    known = {result.question.id for result in session.results}
    _require(event.question.id not in known, f"The question {event.question.id} was asked already.")
    text = lines.question(session, event.question, len(session.results) + 1, event.draw)
    result = QuestionResult(question=event.question, why_chosen=event.why, asked_at=event.at)
    session = replace(session, results=(*session.results, result), phase=Phase.ANSWERING)
    return _say(session, TurnKind.QUESTION, text, event.at)


# --------------------------------------------------------------------------------------------------- hearing


def _said(session: Session, event: Said) -> Session:
    if session.phase is not Phase.SETUP:
        _require_open(session)
    if event.intent is Intent.ANSWER and session.phase is Phase.ANSWERING:
        return _answered(session, event.answer, event.answer.text, event.at, event.draw)
    session = _hear(session, TurnKind.REQUEST, event.answer, event.answer.text, event.at)
    if event.intent is Intent.STOP:
        return _stop(session, event.at, event.draw)
    if session.phase is Phase.SETUP:
        talk = lines.small_talk(None, event.draw) if event.intent is Intent.SMALL_TALK else ""
        text = f"{talk} {lines.setup_again(event.draw)}".strip()
        return _say(session, TurnKind.REPLY, text, event.at)
    if event.intent is Intent.HINT:
        return _hint(session, event.at, event.draw)
    if event.intent is Intent.SKIP:
        return _skip(session, event.at, event.draw)
    if event.intent is Intent.REPEAT:
        text = lines.repeat(awaited_text(session), event.draw)
    elif event.intent is Intent.CLARIFY:
        text = lines.clarify(event.reply, event.draw)
    else:
        text = lines.small_talk(_require_open(session).question.kind, event.draw)
    return _say(session, TurnKind.REPLY, text, event.at)


def _answered(session: Session, answer: Answer, text: str, at: float, draw: float) -> Session:
    """Take in an answer: what holds code is run first, then words are judged."""
    result = _require_open(session)
    question = result.question
    left = submissions_left(session)
    found = parts(answer.text)
    if answer.code and question.check and not left:
        raise UserError("You have used your submissions on this question. Explain it in words, or finish the question.")
    if answer.code and len(result.runs) >= MOST_RUNS:
        raise UserError(f"Code was run {MOST_RUNS} times on this question, which is the limit. Go on in words.")
    whole = len(found.blocks) == 1 and question.check and left and is_whole(found.code, question)
    if not answer.code and whole:
        answer = replace(answer, code=found.code)
    session = _hear(session, TurnKind.ANSWER, answer, text, at)
    if answer.code or (found.blocks and len(result.runs) < MOST_RUNS):
        return replace(session, phase=Phase.RUNNING)
    return _judge_or_go_on(session, at, draw)


def _run(session: Session, result: QuestionResult) -> Run:
    turn = next(turn for turn in reversed(session.turns) if turn.speaker is Speaker.CANDIDATE)
    submitted = turn.answer.code if turn.answer else ""
    code = submitted or parts(turn.text).code
    return Run(
        question_id=result.question.id,
        turn_id=turn.id,
        code=code,
        checked=bool(submitted and result.question.check),
        framework=framework_of(code, result.question),
    )


def _hint(session: Session, at: float, draw: float) -> Session:
    result = _require_open(session)
    found = None if session.plan.mode is Mode.EXAM else marking.next_hint(session, result)
    if found is None:
        return _say(session, TurnKind.REPLY, lines.no_hint(session.plan.mode, draw), at)
    point, text = found
    session = _set(session, replace(result, hints=result.hints + 1))
    return _say(session, TurnKind.HINT, lines.hint(text, draw), at, point_id=point.id)


# ------------------------------------------------------------------------------------------------- outcomes


def _ran(session: Session, event: Ran) -> Session:
    result = session.current
    if session.phase is not Phase.RUNNING or result is None:
        raise UserError(_BUSY)
    run = _run(session, result)
    _require(all(known.id != event.run.id for known in result.runs), "This run was recorded already.")
    _require_points(result, event.scores)
    turn = replace(session.turns[run.turn_id], run_id=event.run.id)
    turns = (*session.turns[: run.turn_id], turn, *session.turns[run.turn_id + 1 :])
    result = replace(result, runs=(*result.runs, event.run))
    session = _set(replace(session, turns=turns), result)
    result = replace(result, scores=marking.merged(session, result, event.scores))
    session = _set(session, result, Phase.ANSWERING)
    limit = SUBMISSIONS[session.plan.mode]
    text = feedback.run_result(
        event.run,
        checked=run.checked,
        mode=session.plan.mode,
        number=limit - submissions_left(session),
        limit=limit,
    )
    session = _say(session, TurnKind.RESULT, text, event.at, run_id=event.run.id)
    if event.run.status is RunStatus.BOX_BROKEN:
        session = _notice(session, "The sandbox failed on a run, so what that run should have shown was not graded.")
    return _judge_or_go_on(session, event.at, event.draw)


def _judge_or_go_on(session: Session, at: float, draw: float) -> Session:
    """After an answer was taken in and its code run: judge its words, if it has any and there is a point to judge."""
    result = session.results[-1]
    answer = next(turn for turn in reversed(session.turns) if turn.speaker is Speaker.CANDIDATE)
    if marking.has_words(answer) and marking.to_judge(result):
        return replace(session, phase=Phase.JUDGING)
    return _go_on(session, at, draw)


def _judged(session: Session, event: Judged) -> Session:
    result = session.current
    if session.phase is not Phase.JUDGING or result is None or result.following_up:
        raise UserError(_BUSY)
    asked = {point.id for point in marking.to_judge(result)}
    _require({item.point_id for item in event.scores} == asked, "The verdicts do not fit the points that were asked.")
    for item in event.scores:
        session = _notice(session, item.judged_by.note)
    session = _set(session, replace(result, scores=marking.merged(session, result, event.scores)), Phase.ANSWERING)
    return _go_on(session, event.at, event.draw)


def _require_points(result: QuestionResult, scores: Iterable[object]) -> None:
    known = {point.id for point in result.question.points}
    ids = [getattr(item, "point_id", "") for item in scores]
    _require(set(ids) <= known and len(ids) == len(set(ids)), "The verdicts do not fit the question.")


def _followed_up(session: Session, event: FollowedUp) -> Session:
    result = session.current
    if session.phase is not Phase.JUDGING or result is None or not result.following_up:
        raise UserError(_BUSY)
    point = result.question.point(result.following_up)
    found = next((item for item in result.scores if item.point_id == point.id), None)
    answers = marking.spoken(session, result.question.id)
    said = lines.acknowledge(session, result, answers[-1] if answers else None, event.draw)
    text = f"{said} {lines.follow_up(found, event.text or point.follow_up, event.draw)}"
    asked = replace(result, following_up="", follow_ups=(*result.follow_ups, point.id))
    session = _notice(_set(session, asked, Phase.ANSWERING), event.notice)
    return _say(session, TurnKind.FOLLOW_UP, text, event.at, point_id=point.id)


# ------------------------------------------------------------------------------------------- what comes next


def _unanswered_follow_up(session: Session, result: QuestionResult) -> Turn | None:
    """The last follow-up (also the request to explain the code), where no words have come since."""
    asked = [turn for turn in marking.turns_of(session, result.question.id) if turn.kind is TurnKind.FOLLOW_UP]
    words = marking.spoken(session, result.question.id)
    return asked[-1] if asked and (not words or words[-1].id < asked[-1].id) else None


def _wants_words(result: QuestionResult) -> bool:
    return any(point.proof is Proof.SAID and point.worth > 0 for point in result.question.points)


def _code_settled(session: Session, result: QuestionResult) -> bool:
    """Whether there is no more code to wait for: no check, it passed, or the submissions are used up."""
    counted = marking.submissions(session, result)
    return not result.question.check or (bool(counted) and counted[-1].passed) or not submissions_left(session)


def _go_on(session: Session, at: float, draw: float) -> Session:
    """After an answer was run and judged: wait for what is still missing, follow up once, or close the question."""
    result = session.results[-1]
    session = replace(session, phase=Phase.ANSWERING)
    words = marking.spoken(session, result.question.id)
    last = next(turn for turn in reversed(session.turns) if turn.speaker is Speaker.CANDIDATE)
    if not _code_settled(session, result):
        if not marking.has_words(last):
            return session  # the result of the run says how many submissions are left
        said = lines.acknowledge(session, result, last, draw)
        return _say(session, TurnKind.REPLY, f"{said} {lines.code_awaited(draw)}", at)
    if _unanswered_follow_up(session, result):
        return session
    if _wants_words(result) and not words:
        if not result.question.check:
            return _say(session, TurnKind.REPLY, lines.words_awaited(draw), at)
        passed = marking.submissions(session, result)[-1].passed
        return _say(session, TurnKind.FOLLOW_UP, lines.explain_code(passed, draw), at)
    target = marking.follow_up_target(result) if not result.follow_ups else None
    if target is not None:
        return _set(session, replace(result, following_up=target.id), Phase.JUDGING)
    return _close(session, at, draw, why="You did not speak about this.")


def _skip(session: Session, at: float, draw: float) -> Session:
    """Skip the question; where something was answered already, only what is still asked of it."""
    result = _require_open(session)
    if result.scores or result.runs:
        return _close(session, at, draw, why="You did not speak about this.")
    return _close(session, at, draw, why="You skipped this question.", skipped=True)


def _finish(session: Session, at: float, draw: float) -> Session:
    """Close the question, after asking once for the explanation that goes with submitted code."""
    result = _require_open(session)
    counted = marking.submissions(session, result)
    asked = any(turn.kind is TurnKind.FOLLOW_UP for turn in marking.turns_of(session, result.question.id))
    if counted and not asked and _wants_words(result) and not marking.spoken(session, result.question.id):
        return _say(session, TurnKind.FOLLOW_UP, lines.explain_code(counted[-1].passed, draw), at)
    return _skip(session, at, draw)


def _stop(session: Session, at: float, draw: float) -> Session:
    """End the interview. A question that is open counts when something of it was answered, and always in an exam."""
    _require(session.phase not in (Phase.RUNNING, Phase.JUDGING), _BUSY)
    result = session.current
    if result is None:
        return _end(session, at, draw)
    counts = bool(result.scores or result.runs) or session.plan.mode is Mode.EXAM
    return _end(_settle(session, at, counts=counts, why="The interview was stopped before this was said."), at, draw)


def _settle(session: Session, at: float, *, counts: bool, why: str, skipped: bool = False) -> Session:
    """Close the open question and bring the totals up to date, without a word."""
    result = marking.closed(replace(session.results[-1], skipped=skipped), at, counts=counts, why=why)
    session = _set(session, result)
    overall, topics = marking.tally(session.results)
    return replace(session, overall=overall, topics=topics)


def _close(session: Session, at: float, draw: float, *, why: str, skipped: bool = False) -> Session:
    """Close the open question with what belongs to it being said, and go on to the next one or to the end."""
    after = _settle(session, at, counts=True, why=why, skipped=skipped)
    if session.plan.mode is Mode.EXAM:
        said = _say(session, TurnKind.REPLY, lines.closed_without_feedback(skipped, draw), at)
    else:
        said = _say(session, TurnKind.FEEDBACK, feedback.question_feedback(after, after.results[-1]), at)
    after = replace(after, turns=said.turns)
    if len(after.results) >= after.plan.questions:
        return _end(after, at, draw)
    return replace(after, phase=Phase.CHOOSING)


def _end(session: Session, at: float, draw: float, opening: str = "") -> Session:
    """The last words; in an exam the feedback on every question comes first."""
    if session.plan.mode is Mode.EXAM:
        for result in session.results:
            told = feedback.question_feedback(session, result)
            session = _say(session, TurnKind.FEEDBACK, told, at)
            turn = replace(session.turns[-1], question_id=result.question.id)
            session = replace(session, turns=(*session.turns[:-1], turn))
    text = " ".join(part for part in (opening, feedback.overall(session), lines.closing(draw)) if part)
    session = _say(session, TurnKind.CLOSING, text, at)
    return replace(session, phase=Phase.ENDED, ended_at=at)
