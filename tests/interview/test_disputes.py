"""A disputed verdict: looked at again once, by another judge or another run; both are kept, and the first counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from domain import (
    Answer,
    Mode,
    Phase,
    Plan,
    PointReference,
    PointScore,
    Question,
    RubricPoint,
    Turn,
    UserError,
    Verdict,
)
from interview.events import load_all
from interview.session import fold, pending
from interview.store import SQLiteStore
from report.build import build
from report.markdown import render_markdown
from tests.interview.making import BY, WordBox, WordJudge, code, explain, last, service

MOON = PointReference("tides", "moon")


class Kind:
    """A second judge that finds everything met. `asked` are the points it was asked about."""

    name = "kind judge"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """MET, whatever was said."""
        self.asked += [item.id for item in points]
        return [PointScore(item.id, Verdict.MET, "well put", BY) for item in points]


def test_another_judge_looks_once_both_are_kept_and_the_first_counts(tmp_path: Path) -> None:
    path, second = tmp_path / "a.db", Kind()
    held = service(path, second_judge=second)
    session = last(held.begin(held.create().id, Plan(questions=2)))
    with pytest.raises(UserError, match="cannot be disputed"):
        last(held.dispute(session.id, MOON))  # still open
    session = last(held.say(session.id, Answer("the sun and the wind")))
    session = last(held.say(session.id, Answer("nothing more")))
    before = session.results[0].score
    assert held.disputable(session.id) == (MOON,)
    session = last(held.dispute(session.id, MOON, "I said what pulls the water"))
    (found,) = session.results[0].disputes
    assert second.asked == ["moon"]
    assert found.why == "I said what pulls the water"
    assert found.second is not None
    assert found.second.verdict is Verdict.MET
    assert session.results[0].score == before
    assert "another verdict: met, where the first was not met" in session.turns[-1].text
    assert session.phase is Phase.ANSWERING
    with pytest.raises(UserError, match="cannot be disputed"):
        last(held.dispute(session.id, MOON))
    assert "a second look (words) found: met. The first verdict counts." in render_markdown(build(session))
    assert fold(session.id, load_all(SQLiteStore(path).events(session.id))) == held.session(session.id)


def test_after_the_end_of_an_exam_and_never_before(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db", [explain(), code()])
    session = last(held.begin(held.create().id, Plan(questions=2, mode=Mode.EXAM)))
    session = last(held.skip(session.id))
    assert held.disputable(session.id) == ()
    session = last(held.say(session.id, Answer("I disagree with your verdict")))
    assert "at the end" in session.turns[-1].text
    session = last(held.stop(session.id))
    session = last(held.dispute(session.id, MOON))
    assert session.phase is Phase.ENDED
    assert session.results[0].disputes[0].second is not None
    with pytest.raises(UserError, match="has ended"):
        last(held.say(session.id, Answer("the moon")))


def test_what_code_showed_is_run_again(tmp_path: Path) -> None:
    box = WordBox()
    held = service(tmp_path / "a.db", [code()], sandbox=box)
    session = last(held.begin(held.create().id, Plan(questions=1)))
    session = last(held.submit(session.id, "def twice(x):\n    return x\n"))
    session = last(held.stop(session.id))
    session = last(held.dispute(session.id, PointReference("doubling", "value")))
    assert [run.seed for run in box.runs] and len(box.runs) == 2
    second = session.results[0].disputes[0].second
    assert second is not None
    assert second.verdict is Verdict.NOT_MET
    assert "a run with new hidden inputs" in session.turns[-1].text


def test_killed_during_the_second_look_it_is_taken_up(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db", judge=WordJudge())
    session = last(held.begin(held.create().id, Plan(questions=1)))
    session = last(held.skip(session.id))
    steps = held.dispute(session.id, MOON)
    session = next(steps)
    del steps
    assert pending(session)
    session = last(held.resume(session.id))
    assert session.results[0].disputes[0].second is not None
    assert not pending(session)


def test_a_dispute_in_words_says_how_where_it_names_nothing(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.begin(held.create().id, Plan(questions=2)))
    session = last(held.skip(session.id))
    session = last(held.say(session.id, Answer("I disagree with that verdict")))
    assert "press Dispute" in session.turns[-1].text
    assert session.phase is Phase.ANSWERING
