"""When a missed point comes back: the FSRS schedule, in days. The library keeps the card, and we keep its JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from domain import PointScore, Verdict

_MISSED = (Verdict.NOT_MET, Verdict.CONTRADICTED)


@dataclass(frozen=True)
class Card:
    """A point's place in the schedule: the library's card as JSON, and when it is due (seconds since the epoch)."""

    text: str
    due: float


def missed_again(score: PointScore) -> bool:
    """Whether the point was missed this time."""
    return score.verdict in _MISSED


def reviewed(card: str, score: PointScore, at: datetime) -> Card | None:
    """The card after a verdict; None where there is nothing to schedule: no verdict, or a point never missed."""
    from fsrs import Card as FsrsCard
    from fsrs import Rating, Scheduler

    if score.verdict is Verdict.UNGRADED or (not card and not missed_again(score)):
        return None
    # Days instead of the minutes of flash cards, and no random fuzz, so that the same past gives the same schedule.
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    known = FsrsCard.from_json(card) if card else FsrsCard(card_id=1, due=at)
    rating = Rating.Again if missed_again(score) else Rating.Good if score.credit >= 1 else Rating.Hard
    after, _ = scheduler.review_card(known, rating, at)
    return Card(after.to_json(), after.due.timestamp())
