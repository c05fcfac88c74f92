"""What a candidate says or submits, and the outcomes of running and judging it, in the session machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from domain import Answer, Intent, Mode, Phase, PointScore, QuestionResult, RunStatus, Session, TurnKind, UserError
from interview import feedback, lines, marking, replies
from interview.blocks import is_whole, parts, syntax_fault
from interview.closing import go_on, pause, skip, stop
from interview.disputes import disputable, dispute
from interview.events import FollowedUp, Judged, Ran, Said
from interview.steps import (
    BUSY,
    MOST_RUNS,
    SUBMISSIONS,
    awaited_text,
    hear,
    last_heard,
    notice,
    put,
    require,
    require_open,
    run_of,
    say,
    submissions_left,
)


def said(session: Session, event: Said) -> Session:
    if session.phase is not Phase.SETUP:
        require_open(session)
    if event.intent is Intent.ANSWER and session.phase is Phase.ANSWERING:
        return answered(session, event.answer, event.answer.text, event.at, event.draw)
    session = hear(session, TurnKind.REQUEST, event.answer, event.answer.text, event.at)
    if event.intent is Intent.STOP:
        return stop(session, event.at, event.draw)
    if session.phase is Phase.SETUP:
        talk = lines.small_talk(None, event.draw) if event.intent is Intent.SMALL_TALK else ""
        if event.reply:
            talk = event.reply
        text = f"{talk} {lines.setup_again(event.draw)}".strip()
        return say(session, TurnKind.REPLY, text, event.at)
    if event.intent is Intent.HINT:
        return hint(session, event.at, event.draw)
    if event.intent is Intent.SKIP:
        return skip(session, event.at, event.draw)
    if event.intent is Intent.PAUSE:
        return pause(session, event.at, event.draw)
    if event.intent is Intent.DISPUTE and event.about is not None and event.about in disputable(session):
        return dispute(session, event.about, event.answer.text, event.at, event.draw)
    return say(session, TurnKind.REPLY, _reply(session, event), event.at)


def _reply(session: Session, event: Said) -> str:
    """What is said to a request that changes nothing."""
    result = require_open(session)
    match event.intent:
        case Intent.REPEAT:
            return lines.repeat(awaited_text(session), event.draw)
        case Intent.REPHRASE:
            return replies.rephrase(result.question, awaited_text(session), event.reply, event.draw)
        case Intent.CLARIFY:
            return lines.clarify(event.reply, event.draw)
        case Intent.THINKING:
            return replies.thinking(event.draw, timed=result.deadline is not None or session.deadline is not None)
        case Intent.STEER:
            return replies.steer(event.draw)
        case Intent.DISPUTE:
            return replies.how_to_dispute(session.plan.mode, told=bool(disputable(session)))
        case Intent.NO_ANSWER if event.reply:
            return event.reply
        case _:
            return lines.small_talk(result.question.kind, event.draw)


def answered(session: Session, answer: Answer, text: str, at: float, draw: float) -> Session:
    """Take in an answer: what holds code is run first, then words are judged."""
    result = require_open(session)
    question = result.question
    left = submissions_left(session)
    found = parts(answer.text)
    if answer.code and question.check and not left:
        raise UserError("You have used your submissions on this question. Explain it in words, or finish the question.")
    if answer.code and len(result.runs) >= MOST_RUNS:
        raise UserError(f"Code was run {MOST_RUNS} times on this question, which is the limit. Go on in words.")
    if answer.code and session.plan.mode is Mode.EXAM and (fault := syntax_fault(answer.code)):
        raise UserError(f"{fault} It was not submitted, since an exam takes one submission: mend it and submit again.")
    # In an exam only the editor submits: code in an answer, often an example, must not use up the one submission.
    may_submit = question.check and left and session.plan.mode is not Mode.EXAM
    whole = len(found.blocks) == 1 and may_submit and is_whole(found.code, question)
    if not answer.code and whole:
        answer = replace(answer, code=found.code)
    session = hear(session, TurnKind.ANSWER, answer, text, at)
    if answer.code or (found.blocks and len(result.runs) < MOST_RUNS):
        return replace(session, phase=Phase.RUNNING)
    return _judge_or_go_on(session, at, draw)


def hint(session: Session, at: float, draw: float) -> Session:
    result = require_open(session)
    found = None if session.plan.mode is Mode.EXAM else marking.next_hint(session, result)
    if found is None:
        return say(session, TurnKind.REPLY, lines.no_hint(session.plan.mode, draw), at)
    point, text = found
    session = put(session, replace(result, hints=result.hints + 1))
    return say(session, TurnKind.HINT, lines.hint(text, draw), at, point_id=point.id)


def ran(session: Session, event: Ran) -> Session:
    result = session.current
    if session.phase is not Phase.RUNNING or result is None:
        raise UserError(BUSY)
    run = run_of(session, result)
    require(all(known.id != event.run.id for known in result.runs), "This run was recorded already.")
    _require_points(result, event.scores)
    turn = replace(session.turns[run.turn_id], run_id=event.run.id)
    turns = (*session.turns[: run.turn_id], turn, *session.turns[run.turn_id + 1 :])
    result = replace(result, runs=(*result.runs, event.run))
    session = put(replace(session, turns=turns), result)
    result = replace(result, scores=marking.merged(session, result, event.scores))
    session = put(session, result, Phase.ANSWERING)
    limit = SUBMISSIONS[session.plan.mode]
    text = feedback.run_result(
        event.run,
        checked=run.checked,
        mode=session.plan.mode,
        number=limit - submissions_left(session),
        limit=limit,
    )
    session = say(session, TurnKind.RESULT, text, event.at, run_id=event.run.id)
    if event.run.status is RunStatus.BOX_BROKEN:
        session = notice(session, "The sandbox failed on a run, so what that run should have shown was not graded.")
    return _judge_or_go_on(session, event.at, event.draw)


def _judge_or_go_on(session: Session, at: float, draw: float) -> Session:
    """After an answer was taken in and its code run: judge its words, if it has any and there is a point to judge."""
    result = session.results[-1]
    answer = last_heard(session)
    if marking.has_words(answer) and marking.to_judge(result):
        return replace(session, phase=Phase.JUDGING)
    return go_on(session, at, draw)


def judged(session: Session, event: Judged) -> Session:
    result = session.current
    if session.phase is not Phase.JUDGING or result is None or result.following_up:
        raise UserError(BUSY)
    asked = {point.id for point in marking.to_judge(result)}
    require({item.point_id for item in event.scores} == asked, "The verdicts do not fit the points that were asked.")
    for item in event.scores:
        session = notice(session, item.judged_by.note)
    session = put(session, replace(result, scores=marking.merged(session, result, event.scores)), Phase.ANSWERING)
    return go_on(session, event.at, event.draw)


def _require_points(result: QuestionResult, scores: Iterable[PointScore]) -> None:
    known = {point.id for point in result.question.points}
    ids = [item.point_id for item in scores]
    require(set(ids) <= known and len(ids) == len(set(ids)), "The verdicts do not fit the question.")


def followed_up(session: Session, event: FollowedUp) -> Session:
    result = session.current
    if session.phase is not Phase.JUDGING or result is None or not result.following_up:
        raise UserError(BUSY)
    point = result.question.point(result.following_up)
    found = next((item for item in result.scores if item.point_id == point.id), None)
    text = lines.follow_up(found, event.text or point.follow_up, event.draw)
    if marking.has_words(last := last_heard(session)):  # after a run, its result was the acknowledgement
        text = f"{lines.acknowledge(session, result, last, event.draw)} {text}"
    asked = replace(result, following_up="", follow_ups=(*result.follow_ups, point.id))
    session = notice(put(session, asked, Phase.ANSWERING), event.notice)
    return say(session, TurnKind.FOLLOW_UP, text, event.at, point_id=point.id)
