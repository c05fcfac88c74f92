"""The clock, pauses and drills: deadlines close fairly, our own work costs nobody time, and a pause brings one back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Answer, Mode, Phase, Plan, PointReference, Session, TurnKind, UserError, Verdict
from interview import timing
from interview.events import Created, load_all
from interview.service import InterviewService
from interview.session import fold, library_open
from interview.store import SQLiteStore
from tests.interview.making import WordJudge, code, explain, last, service


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def begun(path: Path, plan: Plan, clock: Clock, **changes: object) -> tuple[InterviewService, Session]:
    """A service by that clock, and a session with its first question asked."""
    held = service(path, clock=clock, **changes)  # type: ignore[arg-type]
    return held, last(held.begin(held.create().id, plan))


def stored(path: Path, session: Session) -> Session:
    """The session folded from its log."""
    return fold(session.id, load_all(SQLiteStore(path).events(session.id)))


def test_an_exam_has_a_clock_and_practice_has_none(tmp_path: Path) -> None:
    clock = Clock()
    _, practice = begun(tmp_path / "a.db", Plan(), clock)
    assert timing.deadline(practice) is None
    _, exam = begun(tmp_path / "b.db", Plan(mode=Mode.EXAM), clock)
    assert timing.deadline(exam) == 1000.0 + timing.EXAM_SECONDS
    assert "You have 10 minutes for it" in exam.turns[-1].text
    _, coding = begun(tmp_path / "c.db", Plan(mode=Mode.EXAM), clock, questions=[code()])
    assert timing.deadline(coding) == 1000.0 + timing.EXAM_SECONDS_WITH_CODE
    _, untimed = begun(tmp_path / "d.db", Plan(mode=Mode.EXAM, seconds_per_question=0), clock)
    assert timing.deadline(untimed) is None
    _, total = begun(tmp_path / "e.db", Plan(mode=Mode.EXAM, seconds_total=60), clock)
    assert timing.deadline(total) == 1060.0


def test_time_that_runs_out_counts_what_was_said_and_no_more(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "a.db"
    held, session = begun(path, Plan(questions=2, mode=Mode.EXAM, seconds_per_question=100), clock)
    session = last(held.say(session.id, Answer("the moon")))
    assert session.phase is Phase.ANSWERING  # a follow-up is open
    clock.now = 1099.0
    assert list(held.expire(session.id)) == []  # nobody closes a question early
    clock.now = 1100.0
    session = last(held.expire(session.id))
    first = session.results[0]
    assert first.timed_out
    assert {item.point_id: item.verdict for item in first.scores}["moon"] is Verdict.MET
    assert first.score is not None
    assert first.score.earned == 3
    assert len(session.results) == 2
    assert session.current is not None
    assert session.current.deadline == 1200.0
    assert list(held.expire(session.id)) == []
    assert stored(path, session) == session


def test_what_was_on_its_way_is_taken_and_what_comes_later_is_refused_with_a_reason(tmp_path: Path) -> None:
    clock = Clock()
    held, session = begun(tmp_path / "a.db", Plan(questions=2, mode=Mode.EXAM, seconds_per_question=100), clock)
    clock.now = 1100.0 + timing.GRACE - 1
    session = last(held.say(session.id, Answer("sun, moon and wind")))
    assert session.results[0].score is not None
    assert session.results[0].score.earned == 6
    clock.now += 100 + timing.GRACE
    with pytest.raises(UserError, match="time was up"):
        last(held.say(session.id, Answer("carry and shift")))
    session = held.session(session.id)
    assert session.phase is Phase.ENDED
    assert session.results[1].timed_out
    assert not any(turn.text == "carry and shift" for turn in session.turns)


def test_our_own_work_costs_the_candidate_no_time(tmp_path: Path) -> None:
    clock = Clock()

    def slow() -> None:
        clock.now += 500

    held, session = begun(
        tmp_path / "a.db",
        Plan(mode=Mode.EXAM, seconds_per_question=100, seconds_total=900),
        clock,
        judge=WordJudge(slow),
    )
    clock.now += 10
    session = last(held.say(session.id, Answer("the moon")))
    assert session.phase is Phase.ANSWERING
    assert timing.deadline(session) == 1600.0
    assert session.deadline == 2400.0


def test_the_time_of_the_whole_interview_ends_it(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "a.db"
    held, session = begun(path, Plan(questions=2, seconds_total=50), clock)
    assert "50 seconds for all" in session.turns[1].text
    clock.now += 50
    session = last(held.expire(session.id))
    assert session.phase is Phase.ENDED
    assert "time of this interview is up" in session.turns[-1].text
    assert session.overall is not None
    assert stored(path, session) == session


def test_a_pause_stops_the_clock_but_not_that_of_an_exam(tmp_path: Path) -> None:
    clock = Clock()
    held, session = begun(tmp_path / "a.db", Plan(seconds_per_question=100), clock)
    session = last(held.pause(session.id))
    assert session.phase is Phase.PAUSED
    assert timing.deadline(session) is None
    clock.now += 86_400
    session = last(held.resume_session(session.id))
    assert "What do you know of tides?" in session.turns[-1].text
    assert timing.deadline(session) == 1100.0 + 86_400
    held, session = begun(tmp_path / "b.db", Plan(mode=Mode.EXAM, seconds_per_question=100), clock)
    session = last(held.pause(session.id))
    clock.now += 101
    session = last(held.expire(session.id))
    assert session.results[0].timed_out


@pytest.mark.parametrize(
    "text", ["Can we pause here and continue tomorrow?", "I need a break", "let's resume this later"]
)
def test_a_pause_may_be_asked_for_and_any_step_ends_it(tmp_path: Path, text: str) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.begin(held.create().id, Plan(questions=2)))
    session = last(held.say(session.id, Answer(text)))
    assert session.phase is Phase.PAUSED
    with pytest.raises(UserError, match="paused"):
        last(_twice(held, session.id))
    session = last(held.say(session.id, Answer("sun, moon and wind")))
    assert session.results[0].score is not None
    assert any("Welcome back" in turn.text or "Good to have you back" in turn.text for turn in session.turns)


def _twice(held: InterviewService, session_id: str) -> Iterator[Session]:
    last(held.resume_session(session_id))
    return held.resume_session(session_id)


def test_a_paused_interview_can_be_stopped(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.begin(held.create().id, Plan(questions=2)))
    last(held.pause(session.id))
    session = last(held.stop(session.id))
    assert session.phase is Phase.ENDED
    assert session.paused_at is None


def test_a_drill_asks_and_counts_only_what_was_missed(tmp_path: Path) -> None:
    bank = {question.id: question for question in (explain(), code())}
    held = service(tmp_path / "a.db", question_of=bank.get)
    due = (
        PointReference("gone", "x"),
        PointReference("doubling", "carry"),
        PointReference("tides", "sun"),
        PointReference("tides", "gone"),
    )
    session = last(held.begin(held.create().id, Plan(questions=5, mode=Mode.DRILL, due=due)))
    assert session.current is not None
    assert [point.id for point in session.current.question.points] == ["carry"]
    assert session.current.question.check == ""
    assert "No code is wanted" in session.turns[-1].text
    assert "editor" not in session.turns[-1].text
    session = last(held.say(session.id, Answer("with a carry")))
    assert session.results[0].score is not None
    assert session.results[0].score.worth == 2
    session = last(held.say(session.id, Answer("no idea")))
    session = last(held.say(session.id, Answer("the sun")))
    assert session.phase is Phase.ENDED
    assert session.results[1].score is not None
    assert session.results[1].score.worth == 2


def test_the_library_is_closed_until_an_exam_is_over(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    practice = last(held.begin(held.create().id, Plan()))
    assert library_open(practice)
    exam = last(held.begin(held.create().id, Plan(mode=Mode.EXAM)))
    assert not library_open(exam)
    assert library_open(last(held.stop(exam.id)))


def test_older_logs_keep_their_one_follow_up(tmp_path: Path) -> None:
    """Two follow-ups where the first was answered; one in a log of the time when there was one."""
    path = tmp_path / "a.db"
    held = service(path)
    session = last(held.begin(held.create().id, Plan(questions=1)))
    session = last(held.say(session.id, Answer("the wind")))
    session = last(held.say(session.id, Answer("the moon")))
    assert session.results[0].follow_ups == ("moon", "sun")
    session = last(held.say(session.id, Answer("the sun")))
    assert session.phase is Phase.ENDED
    events = load_all(SQLiteStore(path).events(session.id))
    assert isinstance(events[0], Created)
    old = [replace(events[0], most_follow_ups=1), *events[1:6]]
    assert fold("s", old).phase is Phase.ANSWERING
    assert [turn.kind for turn in session.turns].count(TurnKind.FOLLOW_UP) == 2
