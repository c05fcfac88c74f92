"""Events as JSON: nothing is lost on the way, and what cannot be understood is refused."""

from __future__ import annotations

import json

import pytest

from domain import (
    Answer,
    Case,
    CaseReference,
    Intent,
    JudgedBy,
    PointScore,
    Quote,
    RunReport,
    RunStatus,
    StoredEvent,
    UngradedReason,
    UserError,
    Verdict,
)
from interview.events import Chosen, Event, Judged, Ran, Said, dump, load, load_all, scrub
from tests.interview.making import code

RUN = RunReport("r", RunStatus.CRASHED, (Case("a", "b", False, "c", True, (("x", "1"),)),), "out", "err", 3, 0.5, 7)
SCORE = PointScore("p", Verdict.MET, "w", JudgedBy("local", "m", "v"), (Quote(1, 2, 3), CaseReference("r", "a")), 0.5)
EVENTS: list[Event] = [
    Said(1.5, Answer("é\n“x”", "code", ((0, 1),), True, 2.0), Intent.ANSWER, 0.5, "reply"),
    Chosen(2.0, code(), "why", 0.1),
    Ran(3.0, RUN, 0.2, (SCORE,)),
    Judged(4.0, (PointScore("q", Verdict.UNGRADED, "w", JudgedBy("x"), reason=UngradedReason.UNCERTAIN),), 0.3),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert load(event.kind, dump(event)) == event


def test_an_unknown_kind_is_from_a_newer_version() -> None:
    with pytest.raises(UserError, match="newer version"):
        load("dreamt", "{}")


def test_an_unknown_field_at_any_depth_is_from_a_newer_version() -> None:
    for path in ((), ("run",), ("run", "cases", 0), ("scores", 0, "judged_by")):
        data = json.loads(dump(EVENTS[2]))
        place = data
        for step in path:
            place = place[step]
        place["mood"] = "fine"
        with pytest.raises(UserError, match="newer version"):
            load("ran", json.dumps(data))


@pytest.mark.parametrize("data", ["", "{", '{"kind": "skipped"}', '{"kind": "skipped", "at": NaN, "draw": 0.5}'])
def test_damage_is_told_and_not_repaired(data: str) -> None:
    with pytest.raises(UserError, match="damaged"):
        load("skipped", data)


def test_a_gap_in_the_log_is_damage() -> None:
    rows = [StoredEvent(number, "said", dump(EVENTS[0]), 1.0) for number in (0, 2)]
    with pytest.raises(UserError, match="event 1 is missing"):
        load_all(rows)


def test_what_a_program_prints_can_always_be_stored() -> None:
    run = RunReport("r", RunStatus.OK, stdout_tail="a\ud800b\0c", seconds=float("nan"))
    event = scrub(Ran(1.0, run, 0.5))
    assert load("ran", dump(event)) == event
    assert event.run.seconds == 0.0
    assert event.run.stdout_tail.startswith("a")
