"""What check authors compare with: what passes, what fails, and what a hidden case may say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from domain import Array, CandidateError, Handle, RunStatus, Value
from sandbox.endings import ProtocolViolation, RunEnded
from sandbox.toolkit import (
    Mismatch,
    array,
    case,
    expect,
    expect_close,
    kind,
    ndarray,
    number,
    show,
    tensor,
    variable,
)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (4.0, 4),
        (4, 4),
        (True, True),
        (tensor([1.0, 2.0]), [1.0, 2.0]),
        (tensor([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.float64)),
        (tensor([1.00005, 2.0]), [1.0, 2.0]),
        (tensor([np.nan, np.inf, -np.inf]), [np.nan, np.inf, -np.inf]),
        (tensor(np.zeros((0, 3))), np.zeros((0, 3))),
        (tensor(1e6 * np.ones(3)), 1e6 * np.ones(3) + 10),
        (tensor([1e-9, 1.0]), [0.0, 1.0]),
        (tensor([1 + 2j], "complex64"), [1 + 2j]),
        ([tensor([1.0]), 2.0], [np.ones(1), 2.0]),
        ([1.0, 2.0], np.array([1.0, 2.0])),
        (ndarray([1, 2]), [1, 2]),
    ],
)
def test_what_is_close(actual: Value, expected: object) -> None:
    expect_close(actual, expected)


def test_half_precision_gets_its_tolerance_only_where_the_check_asks_for_it() -> None:
    """A submission chooses the dtype it answers in; it must not buy itself a wide tolerance by that."""
    expect_close(tensor([1.0], "bfloat16"), [1.01], dtype="bfloat16")
    with pytest.raises(Mismatch):
        expect_close(tensor([1.0], "bfloat16"), [1.01])


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (4.01, 4.0),
        (5, 4),
        (None, 4.0),
        ("4", 4.0),
        (Handle(1, "Foo"), 4.0),
        (float("nan"), 4.0),
        (4.0, float("nan")),
        (float("inf"), 1e30),
        (tensor([1.0]), 1.0),
        (tensor([[1.0, 2.0]]), [1.0, 2.0]),
        (tensor([1.001, 2.0], "float64"), [1.0, 2.0]),
        (tensor([1.0, np.nan]), [1.0, 2.0]),
        (tensor([1.0, np.inf]), [1.0, -np.inf]),
        (tensor(np.zeros((0, 3))), np.zeros((3, 0))),
        (ndarray([1, 2]), [1, 3]),
        ([1.0, [2.0]], np.array([1.0, 2.0])),
        (tensor([1.0]), [np.ones(1), 2.0]),
        ([tensor([1.0])], [np.ones(1), 2.0]),
        ({}, 1.0),
        ([], [np.ones(1), np.ones(1)]),
    ],
)
def test_what_is_not_close(actual: Value, expected: object) -> None:
    with pytest.raises(Mismatch):
        expect_close(actual, expected)


def test_a_dtype_that_is_asked_for_must_be_there() -> None:
    expect_close(tensor([1.0]), [1.0], dtype="float32")
    for wrong in (tensor([1.0], "float64"), 1.0):
        with pytest.raises(Mismatch, match="dtype"):
            expect_close(wrong, np.ones(1) if isinstance(wrong, Array) else 1.0, dtype="float32")


@given(st.floats(allow_nan=False, width=32), st.floats(allow_nan=False, width=32))
def test_the_tolerance_follows_the_formula(actual: float, expected: float) -> None:
    """|a - e| <= atol + rtol |e| with infinities equal to themselves alone."""
    close = actual == expected or (
        np.isfinite(actual) and np.isfinite(expected) and abs(actual - expected) <= 0.5 + 0.1 * abs(expected)
    )
    passed = case("a", "b", lambda: expect_close(actual, expected, rtol=0.1, atol=0.5)).passed
    assert passed == close


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=5), st.integers(1, 9))
def test_a_hidden_case_tells_nothing_of_what_was_expected(values: list[float], offset: int) -> None:
    expected = np.asarray(values) + 1000 * offset
    found = case("a", "b", lambda: expect_close(tensor(values), expected, given=tensor(values)))
    assert not found.passed
    assert not found.values
    assert found.why in ("value is wrong", f"value is wrong in {len(values)} of {len(values)} entries")


def test_a_visible_case_shows_input_expected_and_got() -> None:
    found = case("a", "b", lambda: expect_close(3.0, 2.0, given="x = 1"), visible=True)
    assert found.values == (("input", "x = 1"), ("expected", "2."), ("got", "3"))
    assert case("a", "b", lambda: expect_close(2.0, 2.0), visible=True).values


def test_what_fails_a_case_and_what_ends_a_run() -> None:
    def raises(error: Exception) -> None:
        raise error

    found = case("a", "b", lambda: raises(CandidateError("ValueError", "no", 3)))
    assert (found.passed, found.why) == (False, "raised ValueError: no (line 3)")
    assert case("a", "b", lambda: raises(Mismatch("why", [("x", "1")])), visible=True).values == (("x", "1"),)
    assert "could not use" in case("a", "b", lambda: raises(AttributeError("shape"))).why
    for ending in (ProtocolViolation("x"), RunEnded(RunStatus.TIMED_OUT, "late")):
        with pytest.raises(RunEnded):
            case("a", "b", lambda ending=ending: raises(ending))  # type: ignore[misc]
    with pytest.raises(NameError):
        case("a", "b", lambda: raises(NameError("a fault of the check")))


def test_values_to_send() -> None:
    assert tensor([1, 2]).data.dtype == np.float32
    assert variable([1.0]).role == "variable"
    assert ndarray([1, 2]).dtype == "int64"
    assert tensor([1.0], requires_grad=True).requires_grad


@given(st.floats(width=32))
def test_bfloat16_is_rounded_as_torch_rounds(value: float) -> None:
    ours = tensor([value], "bfloat16").data
    theirs = torch.tensor([value], dtype=torch.float32).bfloat16().float().numpy()
    assert np.array_equal(ours, theirs, equal_nan=True)


def test_helpers_say_what_a_value_is() -> None:
    assert number(tensor([2.0])) == 2.0
    several: list[Value] = [None, "x", tensor([1.0, 2.0]), []]
    for wrong in several:
        with pytest.raises(Mismatch):
            number(wrong)
    with pytest.raises(Mismatch, match="an object of type Foo"):
        array(Handle(1, "Foo"))
    assert kind(tensor(np.zeros((2, 3)))) == "a float32 tensor of shape (2, 3)"
    assert len(show("x" * 9999)) == 400
    assert show(tensor(np.arange(100.0))).count(",") < 40
    expect(True, "fine")
    with pytest.raises(Mismatch, match="why"):
        expect(0, "why", [("a", 1)])
