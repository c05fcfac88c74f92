"""Verdicts of a judge on what was said, with all that is done to them, whoever judges and whenever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from domain import PointScore, Question, RubricPoint, Session, Turn, UserError
from grader.drafts import tempered
from grader.heard import excused
from interview import marking

log = logging.getLogger("viva.interview")


def verdicts(
    question: Question,
    points: Sequence[RubricPoint],
    session: Session,
    ask: Callable[[Sequence[Turn]], list[PointScore]],
) -> list[PointScore]:
    """One PointScore a point, in order. `ask` has a judge read the candidate's answers on the question, oldest first.

    Whatever fails is the grader's failure: UNGRADED, never wrong.
    """
    answers = marking.spoken(session, question.id)
    try:
        found = ask(answers)
        scores = tempered(question, marking.aligned(points, found), answers)
        scores = marking.stamped(question, scores)
        return excused(question, scores, answers, marking.asked_again(session, question.id))
    except UserError as error:
        why = f"The judge failed: {error}"
    except Exception:  # our fault, whatever it is, makes the points UNGRADED
        log.exception("the judge raised")
        why = "The judge failed, which is a fault of the service and not of your answer."
    return [marking.failed(point, why) for point in points]
