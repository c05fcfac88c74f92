"""The runs of submitted code, as a report shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain import Case, RunReport, Speaker, Turn
from report.model import CaseReport, NamedValue, SubmissionReport
from report.words import STATUSES, duration, size


def submission_reports(
    runs: Sequence[RunReport], turns: Mapping[int, tuple[int, Turn]]
) -> tuple[SubmissionReport, ...]:
    """The question's runs in order, each with the code that it ran."""
    codes = _codes([turn for _, turn in turns.values()])
    return tuple(_submission(run, at + 1, at + 1 == len(runs), codes.get(run.id, "")) for at, run in enumerate(runs))


def _codes(turns: Sequence[Turn]) -> dict[str, str]:
    """The code of each run: that of the turn which names the run, or else of the candidate's last turn before it."""
    codes: dict[str, str] = {}
    last = ""
    for turn in turns:
        own = turn.answer.code if turn.answer and turn.speaker is Speaker.CANDIDATE else ""
        last = own or last
        if turn.run_id and turn.run_id not in codes and last:
            codes[turn.run_id] = last
    return codes


def _submission(run: RunReport, number: int, counts: bool, code: str) -> SubmissionReport:
    return SubmissionReport(
        number=number,
        counts=counts,
        status=run.status.value,
        status_text=STATUSES[run.status],
        cases=tuple(_case(case) for case in run.cases),
        passed=sum(case.passed for case in run.cases),
        code=code,
        stdout_tail=run.stdout_tail,
        error=run.error,
        error_line=run.error_line,
        seconds=round(run.seconds, 6),
        peak_memory=run.peak_memory,
        device=run.device,
        isolation=run.isolation,
        facts=_facts(run),
        seed=run.seed,
        check_hash=run.check_hash,
        versions=tuple(NamedValue(name, version) for name, version in run.versions),
    )


def _case(case: Case) -> CaseReport:
    values = tuple(NamedValue(label, value) for label, value in case.values) if case.visible else ()
    return CaseReport(case.name, case.aspect, case.passed, case.visible, case.why, values)


def _facts(run: RunReport) -> str:
    """Where and how the code ran, in one line."""
    parts = [f"device {run.device}"]
    if run.isolation:
        parts.append(f"isolation {run.isolation}")
    parts.append(duration(run.seconds))
    if run.peak_memory is not None:
        parts.append(f"peak memory {size(run.peak_memory)}")
    parts += [f"{name} {version}" for name, version in run.versions]
    return " · ".join(parts)
