"""What a report shows beside the interview: passages to read, earlier scores, and what the topics show of a level.

It is found once, when the interview has ended, and stored with it. So the same session gives the same report for ever,
and making a report needs no index, no bank and no profile.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from domain import EarlierScore, Hit, Phase, PointReference, Reading, Session, TopicLevel, UserError
from interview.events import Prepared
from interview.steps import require
from knowledge.ability import estimate, evidence
from report.build import build

log = logging.getLogger("viva.interview")
NEAR_ENOUGH = 0.45
"""Cosine similarity below which a passage is about something else, and is not offered."""


def prepare(
    session: Session, passages: Callable[[str], Sequence[Hit]], earlier: Sequence[EarlierScore], at: float
) -> Prepared:
    """What to store. `passages` finds the passages of the library nearest to a text, best first."""
    return Prepared(at, _readings(session, passages), tuple(earlier), _levels(session))


def prepared(session: Session, event: Prepared) -> Session:
    """The session with what was found. Raises UserError where it has not ended, or was prepared already."""
    require(session.phase is Phase.ENDED and not session.prepared, "Nothing is to be prepared for this report now.")
    return replace(session, prepared=True, readings=event.readings, earlier=event.earlier, levels=event.levels)


def _readings(session: Session, passages: Callable[[str], Sequence[Hit]]) -> tuple[Reading, ...]:
    """A passage for each of the things to study first that there is one for, and no passage twice."""
    found: list[Reading] = []
    for item in build(session).study:
        question = session.results[item.question - 1].question
        point = question.points[item.point - 1]
        about = PointReference(question.id, point.id)
        if point.passage:
            found.append(Reading(about, question.draft, point.passage))
            continue
        try:
            hits = passages(f"{question.title}. {point.says}")
        except UserError as error:
            log.warning("no passages for a report: %s", error)
            break
        known = {(reading.title, reading.text) for reading in found}
        for hit in hits[:1]:
            text = hit.text.removeprefix(f"{hit.title}\n")
            if hit.score >= NEAR_ENOUGH and (hit.title, text) not in known:
                found.append(Reading(about, hit.title, text))
    return tuple(found)


def _levels(session: Session) -> tuple[TopicLevel, ...]:
    """For each topic with scored questions, the estimate from these questions alone."""
    found = []
    for topic in dict.fromkeys(result.question.topic for result in session.results):
        shown = evidence(result for result in session.results if result.question.topic == topic)
        if shown:
            found.append(TopicLevel(topic, len(shown), estimate(shown)))
    return tuple(found)
