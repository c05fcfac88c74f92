"""What is found for the report once an interview has ended: passages, earlier scores, levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from domain import Answer, Hit, Mode, Phase, Plan, Session, UserError
from interview.events import Prepared, load_all
from interview.profile import Profiles
from interview.service import InterviewService
from interview.session import advance, fold
from interview.store import SQLiteStore
from report.build import build
from tests.interview.making import Ticking, explain, last, service


class Shelf:
    """Finds one note for everything, as near as it is told."""

    def __init__(self, score: float = 0.9) -> None:
        self.asked: list[str] = []
        self.score = score

    def __call__(self, text: str) -> Sequence[Hit]:
        self.asked.append(text)
        return [
            Hit(
                f"n{len(self.asked)}",
                "note",
                f"Tides > {len(self.asked)}",
                self.score,
                f"Tides > {len(self.asked)}\nRead me.",
            )
        ]


def held(path: Path, shelf: Callable[[str], Sequence[Hit]], profile: str = "") -> tuple[InterviewService, Session]:
    clock = Ticking()
    interviews = service(path, [explain()], passages=shelf, profiles=Profiles(path), clock=clock)
    return interviews, skipped(interviews, profile)


def skipped(interviews: InterviewService, profile: str = "", said: str = "the wind") -> Session:
    """An interview of one question in which the wind is named, and neither sun nor moon."""
    session = last(interviews.begin(interviews.create(profile=profile).id, Plan(questions=1)))
    session = last(interviews.say(session.id, Answer(said)))
    while session.phase is not Phase.ENDED:
        session = last(interviews.skip(session.id))
    return session


def test_a_passage_for_each_thing_to_study_is_stored_with_the_session(tmp_path: Path) -> None:
    shelf = Shelf()
    interviews, session = held(tmp_path / "a.db", shelf)
    assert shelf.asked == ["On tides. The moon is named.", "On tides. The sun is named."]
    assert [(item.about.point_id, item.title, item.text) for item in session.readings] == [
        ("moon", "Tides > 1", "Read me."),
        ("sun", "Tides > 2", "Read me."),
    ]
    assert [len(item.passages) for item in build(session).study] == [1, 1]
    stored = SQLiteStore(tmp_path / "a.db").events(session.id)
    assert fold(session.id, load_all(stored)) == interviews.session(session.id) == session


def test_what_is_not_near_is_not_offered(tmp_path: Path) -> None:
    _, session = held(tmp_path / "a.db", Shelf(0.3))
    assert session.prepared
    assert session.readings == ()


def test_without_an_index_the_interview_ends_all_the_same(tmp_path: Path) -> None:
    def absent(text: str) -> Sequence[Hit]:
        raise UserError("no model")

    _, session = held(tmp_path / "a.db", absent)
    assert (session.prepared, session.readings) == (True, ())
    assert [item.topic for item in session.levels] == ["sea"]


def test_earlier_scores_of_the_profile_come_along_but_no_drill_and_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    profiles = Profiles(path)
    mine, other = profiles.create(), profiles.create()
    interviews, first = held(path, Shelf(), mine)
    skipped(interviews, other)
    drill = last(interviews.begin(interviews.create(profile=mine).id, Plan(questions=1, mode=Mode.DRILL), profile=mine))
    if drill.phase is not Phase.ENDED:
        last(interviews.stop(drill.id))
    second = skipped(interviews, mine, "the moon, the sun and the wind")
    assert first.earlier == ()
    assert first.overall is not None
    assert [item.share for item in second.earlier] == [first.overall.value]
    assert len(build(second).trend) == 2


def test_it_is_prepared_once_and_after_the_end(tmp_path: Path) -> None:
    interviews, session = held(tmp_path / "a.db", Shelf())
    with pytest.raises(UserError, match="Nothing is to be prepared"):
        advance(session, Prepared(1.0))
    with pytest.raises(UserError, match="Nothing is to be prepared"):
        advance(interviews.create(), Prepared(1.0))
