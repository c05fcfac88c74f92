"""An ended interview graded again: the new verdicts stand beside the old ones, and never in their place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Answer, Plan, Question, Session, UserError, Verdict
from interview.__main__ import main
from interview.events import Regraded, dump, load, load_all
from interview.regrade import Regrader
from interview.service import InterviewService
from interview.session import advance, fold
from interview.store import SQLiteStore
from report.build import build
from tests.interview.making import WordBox, WordJudge, code, explain, last, point, service

CODE = "def twice(x):\n    return x + x\n"


def held(path: Path, box: WordBox | None = None) -> tuple[InterviewService, Session]:
    """An interview of two questions: the moon unasked, the sun after a follow-up, code that passes."""
    interviews = service(path, sandbox=box or WordBox())
    session = last(interviews.begin(interviews.create().id, Plan(questions=2)))
    session = last(interviews.say(session.id, Answer("the moon")))
    session = last(interviews.say(session.id, Answer("and the sun, too")))
    while len(session.results) < 2:
        session = last(interviews.skip(session.id))
    session = last(interviews.submit(session.id, CODE))
    return interviews, last(interviews.stop(session.id))


def again(session: Session, *questions: Question, box: WordBox | None = None) -> Session:
    bank = {item.id: item for item in questions or (explain(), code())}
    regrader = Regrader(WordJudge(), bank.get, "new-bank", lambda name: Path(f"{name}/check.py"), box)
    return advance(session, regrader.regrade(session, session.last_at + 9))[0]


def test_the_same_judge_and_bank_find_the_same(tmp_path: Path) -> None:
    _, session = held(tmp_path / "a.db")
    (found,) = again(session).regrades
    assert found.overall == session.overall
    for old, new in zip(session.results, found.questions, strict=True):
        assert [(item.verdict, item.credit) for item in new.scores] == [(i.verdict, i.credit) for i in old.scores]
    (report,) = build(again(session)).regrades
    assert [row for item in report.questions for row in item.differences] == []


def test_a_changed_rubric_shows_what_differs_and_the_first_results_stay(tmp_path: Path) -> None:
    _, session = held(tmp_path / "a.db")
    changed = replace(explain(), points=(point("moon", 3), point("too", 2), point("wind", 1)))
    after = again(session, changed, code())
    assert after.results == session.results
    assert after.overall == session.overall
    (report,) = build(after).regrades
    (first, second) = report.questions
    assert "changed since" in first.note
    assert [(row.says, row.before, row.after) for row in first.differences] == [
        ("The sun is named.", "Credited at 75%", "–"),
        ("The myth is named.", "Fault avoided", "–"),
        ("The too is named.", "–", "Credited at 75%"),
    ]
    assert second.differences == ()
    assert build(session).questions == build(after).questions


def test_a_question_that_left_the_bank_keeps_its_rubric(tmp_path: Path) -> None:
    _, session = held(tmp_path / "a.db")
    (found,) = again(session, code()).regrades
    assert "not in the bank any more" in found.questions[0].note
    assert found.questions[0].question == session.results[0].question


def test_code_is_run_again_from_its_seed_where_wanted(tmp_path: Path) -> None:
    box = WordBox()
    _, session = held(tmp_path / "a.db", box)
    (stored,) = session.results[1].runs
    fresh = WordBox()
    (found,) = again(session, box=fresh).regrades
    assert found.ran
    assert [(run.code, run.seed) for run in fresh.runs] == [(CODE, stored.seed)]
    assert found.questions[1].scores[0].verdict is Verdict.MET


def test_a_case_that_the_stored_run_never_had_tells_nothing(tmp_path: Path) -> None:
    _, session = held(tmp_path / "a.db")
    points = tuple(replace(item, cases=("newer",)) if item.id == "value" else item for item in code().points)
    (found,) = again(session, explain(), replace(code(), points=points)).regrades
    value = found.questions[1].scores[0]
    assert value.verdict is Verdict.UNGRADED
    assert "running the code again" in value.why


def test_a_judge_that_fails_is_no_fault_of_the_answer(tmp_path: Path) -> None:
    def breaks() -> None:
        raise RuntimeError

    _, session = held(tmp_path / "a.db")
    event = Regrader(WordJudge(breaks), lambda _: None, "b", lambda _: None).regrade(session, 1.0)
    said = [item for item in event.questions[0].scores if item.judged_by.judge != "session"]
    assert said
    assert {item.verdict for item in said} == {Verdict.UNGRADED}


def test_it_is_refused_before_the_end_and_on_another_interview(tmp_path: Path) -> None:
    interviews, session = held(tmp_path / "a.db")
    running = last(interviews.begin(interviews.create().id, Plan(questions=1)))
    with pytest.raises(UserError, match="has ended"):
        again(running)
    event = Regrader(WordJudge(), lambda _: None, "b", lambda _: None).regrade(session, 1.0)
    with pytest.raises(UserError, match="has ended"):
        advance(running, event)
    with pytest.raises(UserError, match="not on this interview"):
        advance(session, replace(event, questions=event.questions[:1]))
    twice = replace(event.questions[0], scores=event.questions[0].scores * 2)
    with pytest.raises(UserError, match="scored twice"):
        advance(session, replace(event, questions=(twice, *event.questions[1:])))


def test_the_event_comes_back_as_it_was(tmp_path: Path) -> None:
    _, session = held(tmp_path / "a.db")
    event = Regrader(WordJudge(), lambda _: None, "b", lambda _: None).regrade(session, 1.0)
    assert load("regraded", dump(event)) == event
    assert isinstance(event, Regraded)


def test_the_command_stores_it_and_prints_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sessions.sqlite3"
    _, session = held(path)
    monkeypatch.setenv("VIVA_DATA", str(tmp_path))
    monkeypatch.delenv("VIVA_LLM", raising=False)
    assert main(["regrade", session.id, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["judge"].startswith("local judge")
    stored = fold(session.id, load_all(SQLiteStore(path).events(session.id)))
    assert len(stored.regrades) == 1
    assert stored.results == session.results
    assert main(["regrade", "0" * 32]) == 1
    assert "no interview with that id" in capsys.readouterr().err
