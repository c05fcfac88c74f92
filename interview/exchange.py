"""An interview as a file: out of the store as JSON, and back in under a new link."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from domain import Phase, UserError
from interview.events import Chosen, Event, Imported, dump, load
from interview.limits import MOST_IMPORTED_BYTES
from interview.session import fold

FORMAT = "viva-interview"
VERSION = 1
MOST_EVENTS = 2_000


def to_json(events: Sequence[Event]) -> bytes:
    """The log as a file. It holds no link.

    The question that is open, if any, is left out with all that was said on it: its rubric would otherwise be in the
    candidate's hands before they answered. After an import the interview goes on with a question in its place.
    """
    kept = list(events)
    session = fold("", kept)
    if session.phase is not Phase.ENDED and session.current is not None:
        opened = max(number for number, event in enumerate(kept) if isinstance(event, Chosen))
        kept = kept[:opened]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "events": [json.loads(dump(event)) for event in kept],
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def from_json(data: bytes, at: float) -> list[Event]:
    """The events of a file, marked as imported at that time. Raises UserError with what is wrong with the file."""
    if len(data) > MOST_IMPORTED_BYTES:
        raise UserError(f"The file has {len(data):,} bytes, and at most {MOST_IMPORTED_BYTES:,} can be imported.")
    try:
        content: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise UserError("The file is not JSON. Choose a file that Viva exported (interview.json).") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UserError("The file is not an interview that Viva exported. Choose the JSON from “Export”, not a report.")
    if content.get("version") != VERSION:
        raise UserError("The file is from another version of Viva. Import it with that version.")
    rows = content.get("events")
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_EVENTS:
        raise UserError(f"The file holds no events, or more than {MOST_EVENTS}.")
    events = [_event(row, number) for number, row in enumerate(rows)]
    events.append(Imported(at=at, digest=hashlib.sha256(data).hexdigest()))
    try:
        fold("", events)
    except UserError as error:
        raise UserError(f"The events of this file do not make an interview: {error}") from None
    return events


def _event(row: Any, number: int) -> Event:
    kind = row.get("kind") if isinstance(row, dict) else None
    if not isinstance(kind, str):
        raise UserError(f"Event {number} of this file is not an event of an interview.")
    return load(kind, json.dumps(row))
