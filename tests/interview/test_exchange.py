"""Out as a file and in again: the same interview, under a new link, marked as imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domain import Answer, Phase, Plan, UserError
from interview.limits import MOST_IMPORTED_BYTES
from tests.interview.making import last, service


def test_a_finished_interview_comes_back_marked_under_a_new_link(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.begin(held.create().id, Plan(questions=1)))
    session = last(held.say(session.id, Answer("moon, sun and wind")))
    data = held.export(session.id)
    assert session.id.encode() not in data
    other = service(tmp_path / "b.db")
    back = other.import_session(data)
    assert back.id != session.id
    assert (back.turns, back.results, back.overall) == (session.turns, session.results, session.overall)
    assert "not graded or verified here" in back.notices[-1]
    assert other.session(back.id) == back
    again = held.import_session(other.export(back.id))
    assert "not graded or verified here" in again.notices[-1]


def test_the_open_question_is_not_in_the_file_and_the_interview_goes_on_after_import(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.begin(held.create().id, Plan(questions=2)))
    session = last(held.say(session.id, Answer("moon, sun and wind")))
    session = last(held.say(session.id, Answer("about carry")))
    data = held.export(session.id)
    assert session.results[1].question.model_answer.encode() not in data
    assert b"shift" not in data
    back = held.import_session(data)
    assert back.phase is Phase.CHOOSING
    assert len(back.results) == 1
    back = last(held.resume(back.id))
    assert back.phase is Phase.ANSWERING
    assert held.session(session.id) == session


def changed(data: bytes, **changes: Any) -> bytes:
    """The file with top-level changes."""
    return json.dumps({**json.loads(data), **changes}).encode()


def test_bad_files_are_refused_with_a_reason_and_nothing_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    held = service(path)
    session = last(held.begin(held.create().id, Plan(questions=1)))
    session = last(held.say(session.id, Answer("moon, sun and wind")))
    good = held.export(session.id)
    events = json.loads(good)["events"]
    more = json.loads(good)["events"]
    more[-1]["scores"][0]["mood"] = 1
    files = {
        b"\x89PNG": "not JSON",
        b"[" * 100_000: "not JSON",
        b"[]": "not an interview",
        changed(good, format="x"): "not an interview",
        changed(good, version=99): "another version",
        changed(good, events=[]): "no events",
        changed(good, events=[1]): "Event 0",
        changed(good, events=events[1:]): "do not make an interview",
        changed(good, events=[*events, events[-1]]): "do not make an interview",
        changed(good, events=[{"kind": "dreamt"}]): "newer version",
        changed(good, events=more): "newer version",
        b" " * (MOST_IMPORTED_BYTES + 1): "at most",
    }
    before = service(path)._store.events(session.id)
    for data, reason in files.items():
        with pytest.raises(UserError, match=reason):
            held.import_session(data)
    assert held._store.events(session.id) == before
