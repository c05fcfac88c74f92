"""The next question: within what was asked for, never twice, and for a reason that a candidate can read."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Framework, Hit, Kind, Level, Plan, Question, QuestionResult, RubricPoint, Score
from knowledge.choose import QuestionChooser
from knowledge.index import QuestionIndex
from knowledge.questions import Bank
from tests.knowledge.conftest import RememberingEmbedder

DRAWS = [number / 200 for number in range(200)]


def made(question_id: str, **changes: object) -> Question:
    plain = Question(
        id=question_id,
        title=question_id,
        topic="autograd",
        framework=Framework.PYTORCH,
        level=Level.EASY,
        kind=Kind.EXPLAIN,
        ask="?",
        points=(RubricPoint("p", "says", 1),),
        model_answer="a",
        popularity=40,
    )
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def result(question: Question, value: float | None) -> QuestionResult:
    return QuestionResult(question, score=Score(0, 1, 0, 1, 1.0, value), closed_at=1.0)


class NoSearch:
    """For plans without focus words: searching would be a mistake."""

    def ranked(self, query: str, k: int = 5, ids: Sequence[str] | None = None) -> list[tuple[Hit, float]]:
        raise AssertionError("nothing to search for")


def chooser(*questions: Question) -> QuestionChooser:
    return QuestionChooser(Bank(Path(), {question.id: question for question in questions}, ""), NoSearch())


def shares(chooser: QuestionChooser, plan: Plan, asked: Sequence[QuestionResult] = ()) -> Counter[str]:
    found: Counter[str] = Counter()
    for draw in DRAWS:
        chosen = chooser.choose(plan, asked, draw)
        assert chosen is not None
        found[chosen[0].id] += 1
    return found


LEVELS = [made("low"), made("mid", level=Level.MEDIUM), made("high", level=Level.HARD)]


def test_a_question_is_never_asked_twice_and_then_none_is_left() -> None:
    asked: list[QuestionResult] = []
    for _ in LEVELS:
        chosen = chooser(*LEVELS).choose(Plan(), asked, 0.5)
        assert chosen is not None
        asked.append(result(chosen[0], 0.5))
    assert {row.question.id for row in asked} == {"low", "mid", "high"}
    assert chooser(*LEVELS).choose(Plan(), asked, 0.5) is None


@given(draw=st.floats(0, 1, exclude_max=True), values=st.lists(st.none() | st.floats(0, 1), max_size=3))
def test_the_choice_is_a_pure_function(draw: float, values: list[float | None]) -> None:
    asked = [result(question, value) for question, value in zip(LEVELS, values, strict=False)]
    first, second = (chooser(*LEVELS).choose(Plan(), asked, draw) for _ in range(2))
    assert first == second
    assert (first is None) == (len(values) == 3)


@pytest.mark.parametrize("draw", [0.0, 0.5, 0.999999999])
def test_filters_hold_whatever_is_drawn(draw: float) -> None:
    questions = [
        made("torch"),
        made("flow", framework=Framework.TENSORFLOW),
        made("either", framework=Framework.BOTH, level=Level.HARD, topic="data"),
    ]
    plans = {
        Plan(framework=Framework.TENSORFLOW): {"flow", "either"},
        Plan(level=Level.HARD): {"either"},
        Plan(topics=("data",)): {"either"},
    }
    for plan, allowed in plans.items():
        chosen = chooser(*questions).choose(plan, [], draw)
        assert chosen is not None
        assert chosen[0].id in allowed
        assert "is left" not in chosen[1]


def test_a_filter_that_leaves_nothing_is_relaxed_and_the_reason_says_so() -> None:
    only = made("torch", topic="data_loading")
    chosen = chooser(only).choose(Plan(framework=Framework.TENSORFLOW, level=Level.HARD), [], 0.5)
    assert chosen is not None
    assert chosen[0] is only
    assert "no question on TensorFlow and at level hard is left" in chosen[1]


def test_the_framework_outlasts_the_level() -> None:
    questions = [made("torch_hard", level=Level.HARD), made("flow_easy", framework=Framework.TENSORFLOW)]
    chosen = chooser(*questions).choose(Plan(framework=Framework.TENSORFLOW, level=Level.HARD), [], 0.5)
    assert chosen is not None
    assert chosen[0].id == "flow_easy"
    assert "at level hard is left" in chosen[1]


def test_popular_questions_come_more_often() -> None:
    found = shares(chooser(made("rare", popularity=10), made("popular", popularity=40)), Plan())
    assert found["popular"] == pytest.approx(4 * found["rare"], rel=0.1)


@pytest.mark.parametrize(("value", "favourite"), [(1.0, "high"), (0.0, "low"), (0.5, "mid")])
def test_harder_after_success_and_easier_after_failure(value: float, favourite: str) -> None:
    past = result(made("past", level=Level.MEDIUM), value)
    found = shares(chooser(*LEVELS), Plan(), [past])
    assert found.most_common(1)[0][0] == favourite


def test_the_step_is_said() -> None:
    past = result(made("past", level=Level.MEDIUM), 1.0)
    chosen = chooser(LEVELS[2]).choose(Plan(), [past], 0.5)
    assert chosen is not None
    assert "it is harder than the last one, which went well" in chosen[1]
    chosen = chooser(LEVELS[0]).choose(Plan(), [dataclasses.replace(past, score=result(LEVELS[0], 0.1).score)], 0.5)
    assert chosen is not None
    assert "it is easier than the last one, which was hard" in chosen[1]


def test_an_ungraded_question_moves_nothing() -> None:
    past = result(made("past", level=Level.MEDIUM), None)
    assert shares(chooser(*LEVELS), Plan(), [past]).most_common(1)[0][0] == "mid"


def test_without_any_past_it_begins_easy() -> None:
    assert shares(chooser(*LEVELS), Plan()).most_common(1)[0][0] == "low"


@pytest.mark.parametrize("draw", [0.0, 0.3, 0.6, 0.999])
def test_focus_words_lead_to_a_fitting_question(draw: float, bank: Bank, index: QuestionIndex) -> None:
    chosen = QuestionChooser(bank, index).choose(
        Plan(focus="how batch norm keeps its running mean and variance"), [], draw
    )
    assert chosen is not None
    assert "interview-questions#Q13" in chosen[0].sources
    assert "close to what you asked for (“how batch norm keeps its running mean and variance”)" in chosen[1]


@pytest.mark.parametrize("draw", [0.0, 0.5, 0.999])
def test_with_its_vectors_removed_the_focus_leads_elsewhere(
    draw: float, bank: Bank, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    plan = Plan(focus="my gradients explode")
    whole = QuestionIndex(bank, embedder, tmp_path)
    first = QuestionChooser(bank, whole).choose(plan, [], draw)
    assert first is not None
    whole.remove(first[0].id)
    second = QuestionChooser(bank, whole).choose(plan, [], draw)
    assert second is not None
    assert second[0].id != first[0].id


def test_words_that_fit_nothing_are_owned_up_to(bank: Bank, index: QuestionIndex) -> None:
    chosen = QuestionChooser(bank, index).choose(Plan(focus="sourdough bread with olives"), [], 0.5)
    assert chosen is not None
    assert "nothing in the bank is close to your own words" in chosen[1]


def test_reasons_are_one_sentence(bank: Bank, index: QuestionIndex) -> None:
    for plan in (Plan(), Plan(topics=bank.topics[:2], level=Level.EASY), Plan(focus="autograd\n\n" * 40)):
        chosen = QuestionChooser(bank, index).choose(plan, [], 0.4)
        assert chosen is not None
        reason = chosen[1]
        assert reason.startswith("I chose this question because ")
        assert reason.endswith(".")
        assert "\n" not in reason
        assert len(reason) < 300
