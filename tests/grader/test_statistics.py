"""Statistics against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grader import statistics as stats


def floats(*values: float) -> stats.Floats:
    return np.array(values, dtype=np.float64)


def test_pearson() -> None:
    assert stats.pearson(floats(1, 2, 3), floats(2, 4, 6)) == pytest.approx(1.0)
    assert stats.pearson(floats(1, 2, 3), floats(1, 0, 2)) == pytest.approx(0.5)
    assert stats.pearson(floats(1, 1, 1), floats(1, 2, 3)) == 0.0


def test_within_question_takes_the_questions_means_out() -> None:
    groups = np.array(["a", "a", "b", "b"])
    # Across questions the scores fall as the grades rise; within each question they rise together.
    assert stats.within(floats(0.8, 0.9, 0.1, 0.2), floats(0.1, 0.2, 0.8, 0.9), groups) == pytest.approx(1.0)
    assert stats.pearson(floats(0.8, 0.9, 0.1, 0.2), floats(0.1, 0.2, 0.8, 0.9)) < -0.9


def test_partial_correlation_leaves_nothing_of_what_length_explains() -> None:
    long = floats(1, 2, 3, 4, 5)
    assert stats.partial(2 * long + 1, floats(0, 1, 0, 1, 1), long) == pytest.approx(0.0, abs=1e-6)


def test_rmse() -> None:
    assert stats.rmse(floats(0, 1), floats(0.3, 0.6)) == pytest.approx(np.sqrt((0.09 + 0.16) / 2))


def test_kappa_is_one_for_the_same_and_zero_for_a_constant() -> None:
    grades = floats(0, 0.2, 0.6, 1)
    assert stats.kappa(grades, grades) == pytest.approx(1.0)
    assert stats.kappa(floats(0.6, 0.6, 0.6, 0.6), grades) == pytest.approx(0.0)
    # Weights 1 on two disagreeing pairs of steps: seen cost 2, expected cost 2*2*1/4*... = 1 each way.
    assert stats.kappa(floats(0, 1, 0, 1), floats(0, 1, 1, 0), levels=1) == pytest.approx(0.0)


def test_isotonic_pools_what_falls() -> None:
    fitted = stats.isotonic(floats(0, 1, 2, 3), floats(0, 0.6, 0.4, 1))
    assert fitted(floats(0, 1.5, 3)) == pytest.approx([0, 0.5, 1])
    assert list(fitted(floats(-5, 9))) == [0, 1]


def test_calibration_never_sees_the_question_it_is_used_on() -> None:
    # Question b is graded the other way round. Were it to see its own grades, it would fit them.
    groups = np.array(["a"] * 4 + ["b"] * 4)
    scores = floats(0, 0.3, 0.6, 1, 0, 0.3, 0.6, 1)
    grades = floats(0, 0.3, 0.6, 1, 1, 0.6, 0.3, 0)
    fitted = stats.calibrated(scores, grades, groups)
    assert fitted[4:] == pytest.approx([0, 0.3, 0.6, 1])
    assert fitted[:4] == pytest.approx([0.475] * 4)


def test_folds_hold_whole_questions() -> None:
    groups = np.array(["a", "b", "b", "c", "c", "c", "d"])
    masks = stats.folds(groups, 3)
    assert sum(mask.sum() for mask in masks) == len(groups)
    for mask in masks:
        assert not set(groups[mask]) & set(groups[~mask])


def test_the_interval_draws_questions() -> None:
    groups = np.array(["a"] * 50 + ["b"] * 50)
    values = floats(*([0.0] * 50 + [1.0] * 50))
    # Two questions drawn twice: both the same half of the time, so the mean is 0 or 1 often.
    assert stats.interval(lambda rows: float(values[rows].mean()), groups) == (0.0, 1.0)


def test_macro_f1() -> None:
    truth = ["met", "met", "not", "not"]
    found = ["met", "not", "not", "ungraded"]
    # met: 2*1/(1+2) = 2/3; not: 2*1/(2+2) = 1/2.
    assert stats.macro_f1(truth, found, ["met", "not"]) == pytest.approx((2 / 3 + 1 / 2) / 2)
