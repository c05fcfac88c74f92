"""Rubric arithmetic against sums done by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import PointScore, RubricPoint, Score, Verdict
from grader.rubric import combine, credit, score
from tests.grader.build import found, point

MET, NOT_MET, CONTRADICTED, UNGRADED = Verdict.MET, Verdict.NOT_MET, Verdict.CONTRADICTED, Verdict.UNGRADED


def test_points_weigh_what_they_are_worth() -> None:
    result = score([point("a", 2), point("b", 3)], [found("a", MET), found("b", NOT_MET)])
    assert result == Score(earned=2, worth=5, low=2, high=2, graded=1.0, value=0.4)


def test_contradicted_earns_what_not_met_earns() -> None:
    points = [point("a", 2), point("b", 2)]
    assert score(points, [found("a", MET), found("b", CONTRADICTED)]) == score(
        points, [found("a", MET), found("b", NOT_MET)]
    )


def test_a_pitfall_takes_its_worth_away() -> None:
    result = score([point("a", 4), point("trap", -1)], [found("a", MET), found("trap", MET)])
    assert (result.earned, result.worth, result.value) == (3, 4, 0.75)


def test_an_avoided_pitfall_costs_nothing_and_earns_nothing() -> None:
    result = score([point("a", 4), point("trap", -1)], [found("a", MET), found("trap", NOT_MET)])
    assert (result.earned, result.worth, result.value) == (4, 4, 1.0)


def test_pitfalls_never_push_a_question_below_zero() -> None:
    result = score([point("a", 1), point("trap", -3)], [found("a", NOT_MET), found("trap", MET)])
    assert (result.earned, result.low, result.high, result.value) == (0, 0, 0, 0.0)


def test_ungraded_points_widen_the_bounds_and_do_not_lower_the_value() -> None:
    # 8 of 9 graded points earned, 1 of 10 ungraded: 8/9 of what was graded, somewhere from 8 to 9 of 10.
    points = [point("a", 8), point("b", 1), point("c", 1)]
    result = score(points, [found("a", MET), found("b", NOT_MET), found("c", UNGRADED)])
    assert (result.earned, result.low, result.high, result.graded) == (8, 8, 9, 0.9)
    assert result.value == pytest.approx(8 / 9)


def test_no_headline_when_less_than_four_fifths_was_graded() -> None:
    points = [point("a", 7.9), point("b", 2.1)]
    result = score(points, [found("a", MET), found("b", UNGRADED)])
    assert result.graded == pytest.approx(0.79)
    assert result.value is None
    assert (result.low, result.high) == (7.9, 10.0)


def test_exactly_four_fifths_is_enough() -> None:
    result = score([point("a", 0.8), point("b", 0.2)], [found("a", MET), found("b", UNGRADED)])
    assert result.value == 1.0


def test_an_ungraded_pitfall_counts_the_other_way_round() -> None:
    result = score([point("a", 4), point("trap", -1)], [found("a", MET), found("trap", UNGRADED)])
    assert (result.low, result.earned, result.high, result.graded) == (3, 4, 4, 1.0)


def test_a_point_without_any_verdict_is_ungraded() -> None:
    points = [point("a", 1), point("b", 1)]
    assert score(points, [found("a", MET)]) == score(points, [found("a", MET), found("b", UNGRADED)])


def test_credit_after_follow_up_and_hint() -> None:
    assert (credit(), credit(follow_up=True), credit(hint=True), credit(follow_up=True, hint=True)) == (
        1,
        0.75,
        0.5,
        0.5,
    )
    result = score(
        [point("a", 4), point("b", 4)],
        [found("a", MET, credit(follow_up=True)), found("b", MET, credit(hint=True))],
    )
    assert (result.earned, result.value) == (5, 0.625)


def test_credit_does_not_soften_a_pitfall() -> None:
    result = score([point("a", 4), point("trap", -2)], [found("a", MET), found("trap", MET, 0.5)])
    assert result.earned == 2


def test_credit_bounds_an_ungraded_point() -> None:
    assert score([point("a", 4)], [found("a", UNGRADED, 0.5)]).high == 2


def test_a_rubric_of_pitfalls_alone_has_no_headline() -> None:
    assert score([point("trap", -1)], [found("trap", MET)]) == Score(0, 0, 0, 0, 1.0, None)


def test_a_point_scored_twice_and_an_unknown_point_are_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        score([point("a")], [found("a", MET), found("a", MET)])
    with pytest.raises(ValueError, match="zebra"):
        score([point("a")], [found("zebra", MET)])


def test_questions_add_up_by_points() -> None:
    first = score([point("a", 6)], [found("a", MET)])
    second = score([point("b", 2), point("c", 2)], [found("b", NOT_MET), found("c", UNGRADED)])
    # 6 of 8 graded points earned; 8 of 10 graded.
    assert combine([first, second]) == Score(earned=6, worth=10, low=6, high=8, graded=0.8, value=0.75)


def test_no_questions_no_headline() -> None:
    assert combine([]).value is None


verdicts = st.sampled_from(list(Verdict))
rubrics = st.lists(
    st.tuples(st.floats(-5, 5).filter(lambda worth: abs(worth) > 0.01), verdicts, st.sampled_from([1.0, 0.75, 0.5])),
    min_size=1,
    max_size=8,
)


@given(rubrics)
def test_bounds_hold_for_any_rubric(rows: list[tuple[float, Verdict, float]]) -> None:
    points: list[RubricPoint] = [point(str(number), worth) for number, (worth, _, _) in enumerate(rows)]
    scores: list[PointScore] = [found(str(number), verdict, part) for number, (_, verdict, part) in enumerate(rows)]
    result = score(points, scores)
    assert 0 <= result.low <= result.earned + 1e-9 <= result.high + 2e-9 <= result.worth + 3e-9
    assert 0 <= result.graded <= 1 + 1e-9
    assert result.value is None or 0 <= result.value <= 1
    assert combine([result]).value == (None if result.value is None else pytest.approx(result.value))
