"""What the scores say beyond this interview: the level of a topic, and the trend over a profile's interviews."""

from __future__ import annotations

import math

from domain import Session
from report.model import LevelReport, TrendReport
from report.words import moment

FOUR_IN_FIVE = 1.2816
"""Standard deviations on either side of the mean that hold four fifths of a normal distribution."""
MOST = 20
"""Interviews that a trend shows: the latest ones."""


def level_of(session: Session, topic: str, enough: bool) -> LevelReport | None:
    """The estimate of a topic as an expected share of a medium question, or None where too little was asked."""
    found = next((item.ability for item in session.levels if item.topic == topic), None)
    if found is None or not enough:
        return None
    return LevelReport(
        _percent(found.mean),
        _percent(found.mean - FOUR_IN_FIVE * found.deviation),
        _percent(found.mean + FOUR_IN_FIVE * found.deviation),
    )


def level_text(session: Session, topic: str, enough: bool) -> str:
    """The same in words; "" where nothing was estimated, or where the score says that there were too few questions."""
    level = level_of(session, topic, enough)
    if level is None:
        return ""
    return (
        f"On a medium question of this topic, expect about {level.percent} % of the points (four times in five between "
        f"{level.low_percent} and {level.high_percent} %)."
    )


def _percent(ability: float) -> int:
    # The ability is on the logit scale of question levels, where medium is 0.
    return round(100 / (1 + math.exp(-ability)))


def trend_of(session: Session) -> tuple[TrendReport, ...]:
    """Earlier headlines of the profile and, last, this one; empty where there is nothing to compare."""
    overall = session.overall
    if not session.earlier or overall is None or overall.value is None or session.ended_at is None:
        return ()
    past = [TrendReport(moment(item.at), _whole(item.share)) for item in session.earlier]
    return (*past[-(MOST - 1) :], TrendReport(moment(session.ended_at), _whole(overall.value)))


def trend_text(trend: tuple[TrendReport, ...]) -> str:
    """The trend in words."""
    if not trend:
        return ""
    past = ", ".join(f"{item.percent} %" for item in trend[:-1])
    return (
        f"Earlier interviews of your profile: {past}; this one {trend[-1].percent} %. Their questions differ, so only "
        "a change over several interviews means something."
    )


def _whole(share: float) -> int:
    return min(100, max(0, round(share * 100)))
