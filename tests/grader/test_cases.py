"""What a run proves, and what it does not."""

from __future__ import annotations

import pytest

from domain import CaseReference, PointScore, RunReport, RunStatus, UngradedReason, Verdict
from grader.cases import confront, score_cases
from tests.grader.build import check_point, found, point, question, run


def one(*cases: str, runs: list[RunReport], worth: float = 1.0) -> PointScore:
    (result,) = score_cases(question(check_point("grad", *cases, worth=worth), point("said")), runs)
    return result


def test_all_named_cases_passed() -> None:
    result = one("value", "dtype", runs=[run(value=True, dtype=True, other=False)])
    assert result.verdict is Verdict.MET
    assert result.evidence == (CaseReference("run-1", "value"), CaseReference("run-1", "dtype"))
    assert result.judged_by.judge == "run"


def test_one_failed_case_is_named() -> None:
    result = one("value", "dtype", runs=[run(RunStatus.WRONG, value=True, dtype=False)])
    assert result.verdict is Verdict.NOT_MET
    assert result.evidence == (CaseReference("run-1", "dtype"),)
    assert "the dtype" in result.why


def test_only_the_last_run_counts() -> None:
    good, bad = run(id_="first", value=True), run(RunStatus.WRONG, id_="last", value=False)
    assert one("value", runs=[good, bad]).verdict is Verdict.NOT_MET
    assert one("value", runs=[bad, good]).verdict is Verdict.MET


def test_a_broken_box_is_ungraded_even_where_cases_failed() -> None:
    result = one("value", runs=[run(RunStatus.BOX_BROKEN, value=False)])
    assert (result.verdict, result.reason) == (Verdict.UNGRADED, UngradedReason.GRADER_FAILED)


def test_nothing_submitted() -> None:
    result = one("value", runs=[])
    assert (result.verdict, result.reason, result.evidence) == (Verdict.NOT_MET, None, ())


@pytest.mark.parametrize(
    ("status", "word"),
    [(RunStatus.CRASHED, "crashed"), (RunStatus.TIMED_OUT, "time"), (RunStatus.OUT_OF_MEMORY, "memory")],
)
def test_a_case_never_reached_is_not_met_and_says_why(status: RunStatus, word: str) -> None:
    result = one("value", "later", runs=[run(status, value=True)])
    assert result.verdict is Verdict.NOT_MET
    assert word in result.why


def test_a_case_passed_before_a_crash_still_counts() -> None:
    assert one("value", runs=[run(RunStatus.CRASHED, value=True)]).verdict is Verdict.MET


@pytest.mark.parametrize("status", [RunStatus.OK, RunStatus.WRONG])
def test_a_case_that_a_finished_check_lacks_is_our_fault(status: RunStatus) -> None:
    result = one("value", "absent", runs=[run(status, value=True)])
    assert (result.verdict, result.reason) == (Verdict.UNGRADED, UngradedReason.GRADER_FAILED)
    assert "absent" in result.why


def test_a_point_that_names_no_case_is_our_fault() -> None:
    assert one(runs=[run(value=True)]).reason is UngradedReason.GRADER_FAILED


def test_a_pitfall_is_committed_when_its_case_fails() -> None:
    assert one("mutates", worth=-1, runs=[run(RunStatus.WRONG, mutates=False)]).verdict is Verdict.MET
    assert one("mutates", worth=-1, runs=[run(mutates=True)]).verdict is Verdict.NOT_MET
    assert one("mutates", worth=-1, runs=[run(RunStatus.CRASHED, other=True)]).verdict is Verdict.NOT_MET


def test_what_was_said_is_contradicted_by_a_case_that_failed() -> None:
    said = point("keeps-dtype", cases=("dtype",))
    scores = [found("keeps-dtype", Verdict.MET)]
    (result,) = confront(question(said), scores, [run(RunStatus.WRONG, dtype=False)])
    assert result.verdict is Verdict.CONTRADICTED
    assert CaseReference("run-1", "dtype") in result.evidence
    assert result.correction


def test_confronting_changes_nothing_else() -> None:
    said = point("keeps-dtype", cases=("dtype",))
    met, missed = [found("keeps-dtype", Verdict.MET)], [found("keeps-dtype", Verdict.NOT_MET)]
    failed = run(RunStatus.WRONG, dtype=False)
    assert confront(question(said), met, [run(dtype=True)]) == met
    assert confront(question(said), met, []) == met
    assert confront(question(said), met, [run(RunStatus.BOX_BROKEN, dtype=False)]) == met
    assert confront(question(said), missed, [failed]) == missed
    assert confront(question(point("keeps-dtype")), met, [failed]) == met
