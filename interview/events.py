"""What happens in an interview: the events that a session is a fold of, and how they are written down.

Everything that a replay needs is inside the events: the time, the random draws, the intents, the verdicts, the run
reports, and each question whole as it was asked. So a replay calls no model, runs no code and reads no bank, and the
same log gives the same session for ever.

Events never hold the session's id, which is the secret of its link: a log may be exported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args

from domain import (
    Answer,
    EarlierScore,
    GradedAgain,
    Intent,
    Invitation,
    Override,
    Passage,
    Plan,
    PointReference,
    PointScore,
    Question,
    Reading,
    RunReport,
    StoredEvent,
    TopicLevel,
    UserError,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


@dataclass(frozen=True)
class Created:
    """A session began. `topics` are those on offer, `notices` say what is degraded on this machine."""

    at: float
    seed: int
    draw: float
    topics: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()
    most_follow_ups: int = 1
    kind: Literal["created"] = "created"


@dataclass(frozen=True)
class Planned:
    """The candidate said what to focus on: by the form, or in free words (`text`), of which `note` says what was
    understood differently from what they wrote. `deadline` is when the time of the whole interview runs out."""

    at: float
    plan: Plan
    draw: float
    text: str = ""
    note: str = ""
    deadline: float | None = None
    kind: Literal["planned"] = "planned"


@dataclass(frozen=True)
class Chosen:
    """The next question, whole, why it was chosen, and when its time runs out (None: never)."""

    at: float
    question: Question
    why: str
    draw: float
    deadline: float | None = None
    kind: Literal["chosen"] = "chosen"


@dataclass(frozen=True)
class NoneLeft:
    """There was no further question to choose."""

    at: float
    draw: float
    kind: Literal["none_left"] = "none_left"


@dataclass(frozen=True)
class Said:
    """The candidate wrote or spoke. `reply` answers a clarifying question, says the question in other words, or tells
    what was not understood; "" where we have nothing of the kind. `about` is what a dispute is about, where it could
    be told."""

    at: float
    answer: Answer
    intent: Intent
    draw: float
    reply: str = ""
    about: PointReference | None = None
    kind: Literal["said"] = "said"


@dataclass(frozen=True)
class Submitted:
    """The candidate submitted code from the editor."""

    at: float
    code: str
    draw: float
    kind: Literal["submitted"] = "submitted"


@dataclass(frozen=True)
class Ran:
    """The pending run ended. `scores` are the verdicts that it gives or changes."""

    at: float
    run: RunReport
    draw: float
    scores: tuple[PointScore, ...] = ()
    kind: Literal["ran"] = "ran"


@dataclass(frozen=True)
class Judged:
    """The pending judgement ended: one score for each point that was asked about."""

    at: float
    scores: tuple[PointScore, ...]
    draw: float
    kind: Literal["judged"] = "judged"


@dataclass(frozen=True)
class FollowedUp:
    """The pending follow-up was put. `text` is a language model's phrasing, "" for the authored one."""

    at: float
    draw: float
    text: str = ""
    notice: str = ""
    kind: Literal["followed_up"] = "followed_up"


@dataclass(frozen=True)
class HintAsked:
    """The candidate pressed the hint button."""

    at: float
    draw: float
    kind: Literal["hint_asked"] = "hint_asked"


@dataclass(frozen=True)
class Skipped:
    """The candidate pressed the skip button."""

    at: float
    draw: float
    kind: Literal["skipped"] = "skipped"


@dataclass(frozen=True)
class Finished:
    """The candidate is done with the open question."""

    at: float
    draw: float
    kind: Literal["finished"] = "finished"


@dataclass(frozen=True)
class Stopped:
    """The candidate ended the interview."""

    at: float
    draw: float
    kind: Literal["stopped"] = "stopped"


@dataclass(frozen=True)
class Consented:
    """The candidate said whether their words may go to this provider of language models."""

    at: float
    provider: str
    agreed: bool
    kind: Literal["consented"] = "consented"


@dataclass(frozen=True)
class Paused:
    """The candidate goes on later."""

    at: float
    draw: float
    kind: Literal["paused"] = "paused"


@dataclass(frozen=True)
class Resumed:
    """The candidate is back."""

    at: float
    draw: float
    kind: Literal["resumed"] = "resumed"


@dataclass(frozen=True)
class TimedOut:
    """The time of the open question, or of the interview, ran out."""

    at: float
    draw: float
    kind: Literal["timed_out"] = "timed_out"


@dataclass(frozen=True)
class Disputed:
    """The candidate disputed the verdict on a point of a closed question, with a reason in their own words."""

    at: float
    about: PointReference
    draw: float
    why: str = ""
    kind: Literal["disputed"] = "disputed"


@dataclass(frozen=True)
class JudgedAgain:
    """The second look at a disputed verdict ended."""

    at: float
    about: PointReference
    score: PointScore
    draw: float
    kind: Literal["judged_again"] = "judged_again"


@dataclass(frozen=True)
class Uploaded:
    """The candidate brought a document: its draft questions, passages, and what was said of it."""

    at: float
    document: str
    drafts: tuple[Question, ...] = ()
    passages: tuple[Passage, ...] = ()
    notices: tuple[str, ...] = ()
    kind: Literal["uploaded"] = "uploaded"


@dataclass(frozen=True)
class Dropped:
    """The candidate dropped some of the drafts by id, or documents with all that came of them."""

    at: float
    ids: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    kind: Literal["dropped"] = "dropped"


@dataclass(frozen=True)
class Imported:
    """Everything before this came from a file (`digest` is its SHA-256), so nothing of it was verified here."""

    at: float
    digest: str
    kind: Literal["imported"] = "imported"


@dataclass(frozen=True)
class Regraded:
    """The stored answers were graded again after the end: see `domain.Regrade`. Scores are added up in the fold."""

    at: float
    judge: str
    bank: str
    questions: tuple[GradedAgain, ...]
    ran: bool = False
    kind: Literal["regraded"] = "regraded"


@dataclass(frozen=True)
class Prepared:
    """What a report shows beside the interview was found after its end, once, so that the report needs no index."""

    at: float
    readings: tuple[Reading, ...] = ()
    earlier: tuple[EarlierScore, ...] = ()
    levels: tuple[TopicLevel, ...] = ()
    kind: Literal["prepared"] = "prepared"


@dataclass(frozen=True)
class Invited:
    """Somebody else asked for this interview, with a fixed plan, and reads its report."""

    at: float
    invitation: Invitation
    kind: Literal["invited"] = "invited"


@dataclass(frozen=True)
class Overridden:
    """A reader of the report gave a verdict of their own."""

    at: float
    override: Override
    kind: Literal["overridden"] = "overridden"


Event: TypeAlias = (
    Created
    | Planned
    | Chosen
    | NoneLeft
    | Said
    | Submitted
    | Ran
    | Judged
    | FollowedUp
    | HintAsked
    | Skipped
    | Finished
    | Stopped
    | Consented
    | Paused
    | Resumed
    | TimedOut
    | Disputed
    | JudgedAgain
    | Uploaded
    | Dropped
    | Imported
    | Regraded
    | Prepared
    | Invited
    | Overridden
)

KINDS: frozenset[str] = frozenset(event.__dataclass_fields__["kind"].default for event in get_args(Event))


@cache
def _adapter() -> TypeAdapter[Event]:
    from pydantic import ConfigDict, Field, TypeAdapter

    # The configuration reaches the dataclasses of domain.py too: an unknown field anywhere is refused, since dropping
    # it silently would replay to another session than the one that was held.
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    return TypeAdapter(Annotated[Event, Field(discriminator="kind")], config=config)


def dump(event: Event) -> str:
    """The event as JSON. Its text must be encodable (see `scrub`)."""
    return _adapter().dump_json(event).decode()


def load(kind: str, data: str | bytes) -> Event:
    """The event of this JSON. Raises UserError when it is from a newer version of Viva, or damaged."""
    from pydantic import ValidationError

    if kind not in KINDS:
        raise UserError(
            f"This interview holds an event of kind {kind[:40]!r}, which is from a newer version of Viva. "
            "Open it with that version; nothing was changed."
        )
    try:
        event = _adapter().validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])[:120]
        raise UserError(
            f"This interview holds an event that cannot be read ({where}: {first['msg']}): it is from a newer version "
            "of Viva, or damaged. Open it with that version; nothing was changed."
        ) from None
    if event.kind != kind:
        raise UserError(f"This interview is damaged: an event stored as {kind!r} says that it is {event.kind!r}.")
    return event


def load_all(stored: Iterable[StoredEvent]) -> list[Event]:
    """The events of a stored log. Raises UserError when one is missing, from a newer version, or damaged."""
    events = []
    for expected, item in enumerate(stored):
        if item.number != expected:
            raise UserError(f"This interview is damaged: event {expected} is missing from its log.")
        events.append(load(item.kind, item.data))
    return events


def scrub(value: T) -> T:
    """The same value made storable: lone surrogates and NULs, which a submission can print and a model can answer,
    become a question mark and the replacement character, and numbers that JSON lacks (NaN, infinity) become 0."""
    return _scrub(value)  # type: ignore[no-any-return]


def _scrub(value: Any) -> Any:
    if type(value) is str:
        return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    if type(value) is float and not isfinite(value):
        return 0.0
    if isinstance(value, tuple):
        return tuple(_scrub(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _scrub(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **changed)
    return value
