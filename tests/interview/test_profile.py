"""Profiles: a private link, what was missed and when it comes back, progress, and everything out or gone at once."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Ability, Answer, Level, Mode, Phase, Plan, PointReference, Session, UserError
from interview.profile import Profiles
from interview.service import InterviewService
from interview.store import SQLiteStore
from knowledge.ability import PRIOR, carried, estimate
from tests.interview.making import code, explain, last, service

DAY = 86_400.0


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def made(path: Path, clock: Clock) -> InterviewService:
    """A service with profiles."""
    bank = {question.id: question for question in (explain(), code())}
    return service(path, clock=clock, profiles=Profiles(path, clock), question_of=bank.get)


def held(service_: InterviewService, secret: str, answer: str, plan: Plan | None = None) -> Session:
    """A whole interview on the first question."""
    session = service_.create(profile=secret)
    session = last(service_.begin(session.id, plan or Plan(questions=1), profile=secret))
    while session.phase is not Phase.ENDED:
        session = last(service_.say(session.id, Answer(answer)))
    return session


def test_what_was_missed_comes_back_when_it_is_due_and_goes_when_it_is_known(tmp_path: Path) -> None:
    clock = Clock()
    interviews = made(tmp_path / "a.db", clock)
    secret = interviews.profiles.create("Ada")
    held(interviews, secret, "only the sun")
    known = interviews.profile(secret)
    assert known.name == "Ada"
    assert {(item.point_id, item.missed) for item in known.points} == {("moon", 1), ("wind", 1)}
    assert all(item.due == clock.now + DAY for item in known.points)
    assert interviews.profiles.planned(secret, Plan()).due == ()
    assert interviews.profiles.planned(secret, Plan()).known == ("tides",)
    clock.now += DAY
    assert interviews.profiles.planned(secret, Plan()).due == (
        PointReference("tides", "moon"),
        PointReference("tides", "wind"),
    )
    drilled = held(interviews, secret, "the moon and the wind", Plan(mode=Mode.DRILL, questions=1))
    assert [point.id for point in drilled.results[0].question.points] == ["moon", "wind"]
    later = interviews.profile(secret)
    assert all(item.due > clock.now + DAY for item in later.points)
    assert len(later.interviews) == 2


def test_a_drill_may_be_asked_for_in_words_and_needs_something_to_drill(tmp_path: Path) -> None:
    interviews = made(tmp_path / "a.db", Clock())
    secret = interviews.profiles.create()
    session = interviews.create(profile=secret)
    with pytest.raises(UserError, match="nothing to drill"):
        last(interviews.say(session.id, Answer("drill me on what I missed"), profile=secret))
    with pytest.raises(UserError, match="needs the profile"):
        last(interviews.begin(session.id, Plan(mode=Mode.DRILL)))
    held(interviews, secret, "only the sun")
    session = last(interviews.say(session.id, Answer("drill me on what I missed"), profile=secret))
    assert session.plan.mode is Mode.DRILL
    assert session.current is not None


def test_progress_over_time_by_topic(tmp_path: Path) -> None:
    clock = Clock()
    interviews = made(tmp_path / "a.db", clock)
    secret = interviews.profiles.create()
    held(interviews, secret, "only the sun")
    clock.now += 2 * DAY
    held(interviews, secret, "the moon, the sun and the wind")
    known = interviews.profile(secret)
    assert known.progress() == [(clock.now - 2 * DAY, pytest.approx(2 / 6)), (clock.now, 1.0)]
    assert known.progress("sea") == known.progress()
    assert known.progress("numbers") == []
    assert known.ability.mean > PRIOR.mean
    plan = interviews.profiles.planned(secret, Plan())
    assert plan.ability == carried(known.ability)


def test_the_secret_is_not_in_the_file_and_nobody_elses_opens_anything(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    interviews = made(path, Clock())
    secret = interviews.profiles.create("Ada")
    held(interviews, secret, "sun")
    dump = "\n".join(sqlite3.connect(path).iterdump())
    assert secret not in dump
    for wrong in ("", "0" * 32, "Ada", secret[:-1], secret.upper()):
        for call in (
            interviews.profile,
            interviews.export_profile,
            interviews.delete_profile,
            interviews.profiles.read,
        ):
            with pytest.raises(UserError, match="no profile under this link"):
                call(wrong)
    assert interviews.profile(secret).interviews


def test_everything_is_exported_and_deleted_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    interviews = made(path, Clock())
    secret, other = interviews.profiles.create("Ada"), interviews.profiles.create("Bob")
    mine, theirs = held(interviews, secret, "only the sun"), held(interviews, other, "the moon")
    running = interviews.create(profile=secret)
    out = json.loads(interviews.export_profile(secret))
    assert len(out["logs"]) == 2
    assert len(out["points"]) == 2
    assert "only the sun" in json.dumps(out)
    assert secret not in json.dumps(out)
    interviews.delete_profile(secret)
    for session_id in (mine.id, running.id):
        with pytest.raises(UserError, match="no interview"):
            interviews.session(session_id)
    with pytest.raises(UserError, match="no profile"):
        interviews.profile(secret)
    assert "only the sun" not in "\n".join(sqlite3.connect(path).iterdump())
    assert interviews.session(theirs.id) == theirs
    assert len(interviews.profile(other).interviews) == 1


def test_a_crash_before_it_was_taken_over_loses_nothing(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "a.db"
    interviews = made(path, clock)
    secret = interviews.profiles.create()
    session = interviews.create(profile=secret)
    without = service(path, clock=clock)  # ends the interview, and does not know of profiles
    last(without.begin(session.id, Plan(questions=1)))
    last(without.skip(session.id))
    assert interviews.profiles.read(secret).interviews == ()
    assert len(interviews.profile(secret).interviews) == 1
    assert len(interviews.profile(secret).interviews) == 1


def test_retention_takes_old_interviews_and_unused_profiles(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "a.db"
    interviews = made(path, clock)
    used, unused = interviews.profiles.create(), interviews.profiles.create()
    held(interviews, used, "sun")
    held(interviews, unused, "sun")
    clock.now += 20 * DAY
    held(interviews, used, "the moon")
    clock.now += 20 * DAY
    for store in (SQLiteStore(path), interviews.profiles):
        store.purge(clock.now - 30 * DAY)
    assert len(interviews.profile(used).interviews) == 1
    with pytest.raises(UserError, match="no profile"):
        interviews.profile(unused)


def test_a_deleted_interview_is_gone_from_the_profile(tmp_path: Path) -> None:
    interviews = made(tmp_path / "a.db", Clock())
    secret = interviews.profiles.create()
    session = held(interviews, secret, "sun")
    interviews.delete(session.id)
    assert interviews.profile(secret).interviews == ()


def test_the_estimate_follows_what_is_shown_and_says_how_sure_it_is() -> None:
    assert estimate([]).mean == pytest.approx(PRIOR.mean, abs=0.01)
    good, bad = estimate([(Level.MEDIUM, 1.0)]), estimate([(Level.MEDIUM, 0.0)])
    assert bad.mean < PRIOR.mean < good.mean
    assert good.deviation < PRIOR.deviation
    many = estimate([(Level.MEDIUM, 0.5)] * 20)
    assert many.mean == pytest.approx(0.0, abs=0.1)
    assert many.deviation < 0.35
    assert carried(many).deviation > many.deviation
    assert replace(carried(many), deviation=many.deviation) == Ability(many.mean, many.deviation)
