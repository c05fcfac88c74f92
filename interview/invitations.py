"""Interviews that somebody else asked for, and reads: a fixed plan, told beforehand, and their own verdicts after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from domain import JudgedBy, Override, Phase, PointScore, Question, Score, Session, TurnKind, Verdict
from grader.rubric import combine, score
from interview import lines
from interview.events import Invited, Overridden
from interview.steps import require, say

_MOST = 400


def invited(session: Session, event: Invited) -> Session:
    """The session with its invitation, told to the candidate before anything else."""
    fits = session.phase is Phase.SETUP and len(session.turns) == 1 and session.invitation is None
    require(fits, "An invitation comes before everything else.")
    found = event.invitation
    require(bool(found.reader.strip()), "An invitation names who reads the report.")
    text = (
        f"You were invited to this interview by {lines.literal(found.reader)}, who will read its whole report: what "
        "you say, the code you submit, every verdict with its evidence, and the times. They may also note verdicts of "
        "their own, and both stay visible to you. The plan is fixed: "
        f"{lines.plan_summary(found.plan)}. Say when you are ready to begin. If you would rather not, close the page "
        "or end the interview: then nothing is graded."
    )
    return say(replace(session, invitation=found), TurnKind.REPLY, text, event.at)


def next_asked(session: Session, question_of: Callable[[str], Question | None]) -> tuple[Question, str] | None:
    """The next of the invitation's questions that the bank still has, and why it is asked."""
    assert session.invitation is not None
    asked = {result.question.id for result in session.results}
    for name in session.invitation.questions:
        question = question_of(name)
        if question is not None and name not in asked:
            return question, "Everybody who was invited to this interview is asked the same questions."
    return None


def overridden(session: Session, event: Overridden) -> Session:
    """The session with a reader's verdict beside the judge's, and the score that follows from all of them."""
    new = replace(event.override, at=event.at)
    require(session.phase is Phase.ENDED, "Verdicts can be changed once the interview has ended.")
    require(bool(new.by.strip() and new.why.strip()), "A changed verdict says who changed it, and why.")
    require(new.verdict is not Verdict.UNGRADED, "A reader's verdict is met, not_met or contradicted.")
    require(len(session.overrides) < _MOST, f"At most {_MOST} verdicts can be changed.")
    result = next((item for item in session.results if item.question.id == new.about.question_id), None)
    counts = result is not None and result.score is not None
    points = {point.id for point in result.question.points} if result is not None else set[str]()
    require(counts and new.about.point_id in points, "There is no such point among the questions that count.")
    session = replace(session, overrides=(*session.overrides, new))
    return replace(session, revised=_revised(session))


def _revised(session: Session) -> Score | None:
    """The overall score with each point's last override in place of its verdict."""
    scores = []
    for result in session.results:
        if result.score is None:
            continue
        own = {item.about.point_id: item for item in session.overrides if item.about.question_id == result.question.id}
        kept = [item for item in result.scores if item.point_id not in own]
        scores.append(score(result.question.points, [*kept, *(_given(item) for item in own.values())]))
    return combine(scores) if scores else None


def _given(item: Override) -> PointScore:
    return PointScore(item.about.point_id, item.verdict, item.why, JudgedBy("reader", model=item.by))
