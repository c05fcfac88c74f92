"""Interviews that somebody else asked for: the candidate is told first, the plan is fixed, both verdicts are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Answer, Framework, Invitation, Phase, Plan, PointReference, Session, UserError, Verdict
from interview.__main__ import main
from interview.invitations import next_asked
from interview.inviting import choose, invite, override
from interview.service import InterviewService
from interview.store import SQLiteStore
from report.__main__ import main as report
from tests.interview.making import code, explain, last, service
from ui.render import Screen, view

PLAN = Plan(questions=2)
MOON = PointReference("tides", "moon")


def invited(path: Path, asked: Sequence[str] = ("doubling", "tides")) -> tuple[InterviewService, SQLiteStore, Session]:
    bank = {item.id: item for item in (explain(), code())}
    interviews, store = service(path, question_of=bank.get), SQLiteStore(path)
    (session,) = invite(store, [Invitation("Ada *Example*", "spring", "Ben", PLAN, tuple(asked))], (), 2)
    return interviews, store, session


def test_the_candidate_is_told_who_reads_before_anything_else(tmp_path: Path) -> None:
    interviews, _, session = invited(tmp_path / "a.db")
    assert interviews.session(session.id) == session
    assert session.phase is Phase.SETUP
    assert r"invited to this interview by Ada \*Example\*, who will read its whole report" in session.turns[-1].text
    shown = view(session)
    assert shown.screen is Screen.INTERVIEW
    assert "answer" in shown.actions


@pytest.mark.parametrize("by_form", [True, False])
def test_the_plan_and_the_questions_are_fixed(tmp_path: Path, by_form: bool) -> None:
    interviews, _, session = invited(tmp_path / "a.db")
    begin = interviews.begin(session.id, Plan(framework=Framework.TENSORFLOW, questions=7))
    session = last(begin if by_form else interviews.say(session.id, Answer("I am ready, one question on Keras")))
    assert session.plan == PLAN
    while session.phase is not Phase.ENDED:
        session = last(interviews.skip(session.id))
    assert [result.question.id for result in session.results] == ["doubling", "tides"]


def test_a_question_that_left_the_bank_is_left_out(tmp_path: Path) -> None:
    _, _, session = invited(tmp_path / "a.db", ("gone", "tides"))
    found = next_asked(session, {"tides": explain()}.get)
    assert found is not None
    assert found[0].id == "tides"


def test_a_reader_changes_a_verdict_and_both_are_kept(tmp_path: Path) -> None:
    interviews, store, session = invited(tmp_path / "a.db")
    with pytest.raises(UserError, match="once the interview has ended"):
        override(store, session.id, MOON, Verdict.MET, "Ada", "He said it.")
    session = last(interviews.begin(session.id, PLAN))
    while session.phase is not Phase.ENDED:
        session = last(interviews.skip(session.id))
    first = session.results
    after = override(store, session.id, MOON, Verdict.MET, "Ada", "He said it.")
    assert after.results == first
    assert after.overall == session.overall
    assert after.revised is not None
    assert after.revised.earned == 3
    after = override(store, session.id, MOON, Verdict.NOT_MET, "Ada", "On reflection he did not.")
    assert [item.verdict for item in after.overrides] == [Verdict.MET, Verdict.NOT_MET]
    assert after.revised is not None
    assert after.revised.earned == 0
    for about, by, why in ((replace(MOON, point_id="x"), "Ada", "so"), (MOON, " ", "so"), (MOON, "Ada", "")):
        with pytest.raises(UserError):
            override(store, session.id, about, Verdict.MET, by, why)


def test_the_same_seed_chooses_the_same_questions_and_too_few_are_told() -> None:
    bank = [explain(f"q{number}") for number in range(9)]
    assert choose(bank, Plan(questions=4), 3) == choose(bank[::-1], Plan(questions=4), 3)
    with pytest.raises(UserError, match="Only 0 questions fit"):
        choose(bank, Plan(framework=Framework.TENSORFLOW, questions=1), 1)


def test_from_the_command_line_and_only_with_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VIVA_DATA", str(tmp_path))
    monkeypatch.delenv("VIVA_INTERVIEWER_KEY", raising=False)
    command = ["invite", "spring", "--reader", "Ada", "--candidate", "Ben", "--candidate", "=Eve", "--questions", "2"]
    assert main(command) == 1
    assert report(["csv", "spring"]) == 1
    assert capsys.readouterr().err.count("VIVA_INTERVIEWER_KEY") == 2
    monkeypatch.setenv("VIVA_INTERVIEWER_KEY", "k" * 32)
    assert main(command) == 0
    told = capsys.readouterr().out
    ids = [line.rpartition("=")[2] for line in told.splitlines() if "http" in line]
    assert len(ids) == 2
    assert report(["csv", "spring"]) == 0
    assert "'=Eve" in capsys.readouterr().out
    assert report(["scorecard", ids[0]]) == 0
    assert "Ben" in capsys.readouterr().out
    assert report(["csv", "autumn"]) == 1
    assert main(["override", ids[0], "tides", "moon", "met", "--by", "Ada", "--why", "so"]) == 1
