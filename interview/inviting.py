"""What an interviewer does from the command line: invite candidates to the same questions, and change a verdict."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Sequence

from domain import (
    Framework,
    Invitation,
    Override,
    Plan,
    PointReference,
    Question,
    Session,
    Store,
    StoredEvent,
    UserError,
    Verdict,
)
from interview.events import Created, Event, Invited, Overridden, dump, load_all, scrub
from interview.session import advance, blank, fold

MOST_CANDIDATES = 100
LONGEST = 80


def choose(questions: Sequence[Question], plan: Plan, seed: int) -> tuple[str, ...]:
    """The ids of as many questions as the plan has, that fit it, in rising order of level. Raises UserError where too
    few fit."""
    fitting = [
        item.id
        for item in sorted(questions, key=lambda item: item.id)
        if plan.framework in (Framework.BOTH, item.framework)
        and plan.level in (None, item.level)
        and (not plan.topics or item.topic in plan.topics)
    ]
    if len(fitting) < plan.questions:
        raise UserError(f"Only {len(fitting)} questions fit that plan, and it asks for {plan.questions}.")
    chosen = set(random.Random(seed).sample(fitting, plan.questions))  # noqa: S311 - a choice, not a secret
    order = ["easy", "medium", "hard"]
    ordered = sorted((item for item in questions if item.id in chosen), key=lambda q: (order.index(q.level), q.id))
    return tuple(item.id for item in ordered)


def invite(
    store: Store, invitations: Sequence[Invitation], environment: tuple[tuple[str, str], ...], follow_ups: int
) -> list[Session]:
    """A session for each invitation, waiting for its candidate. Raises UserError; then none was made."""
    if not 0 < len(invitations) <= MOST_CANDIDATES:
        raise UserError(f"From 1 to {MOST_CANDIDATES} candidates are invited at once.")
    for item in invitations:
        if not item.batch.strip() or max(len(item.reader), len(item.batch), len(item.candidate)) > LONGEST:
            raise UserError(f"Names of readers, batches and candidates have from 1 to {LONGEST} characters.")
    return [_invited(store, item, environment, follow_ups) for item in invitations]


def _invited(
    store: Store, invitation: Invitation, environment: tuple[tuple[str, str], ...], follow_ups: int
) -> Session:
    at = time.time()
    session = blank(secrets.token_hex(16))
    created = Created(at, secrets.randbits(32), 0.0, environment=environment, most_follow_ups=follow_ups)
    events: tuple[Event, ...] = (created, Invited(at, invitation))
    for number, event in enumerate(events):
        session = _record(store, session, number, event)
    return session


def override(store: Store, session_id: str, about: PointReference, verdict: Verdict, by: str, why: str) -> Session:
    """The session with a reader's verdict. Raises UserError where it does not fit."""
    events = load_all(store.events(session_id))
    if not events:
        raise UserError("There is no interview with that id. It is the last part of the interview's link.")
    at = time.time()
    event = Overridden(at, Override(about, verdict, by[:LONGEST], why[:500], at))
    return _record(store, fold(session_id, events), len(events), event)


def _record(store: Store, session: Session, number: int, event: Event) -> Session:
    event = scrub(event)
    session, _ = advance(session, event)
    store.append(session.id, StoredEvent(number, event.kind, dump(event), event.at))
    return session
