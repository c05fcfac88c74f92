"""The runs of the candidate's code, as a report shows them."""

from __future__ import annotations

from collections.abc import Mapping

from domain import Case, QuestionResult, RunReport, RunStatus, Speaker, Turn
from report.model import CaseReport, NamedValue, SubmissionReport
from report.words import STATUSES, duration, size


def submission_reports(result: QuestionResult, turns: Mapping[int, tuple[int, Turn]]) -> tuple[SubmissionReport, ...]:
    """The question's runs in order, each with the code that it ran.

    The run that counts is the last one of code that was submitted to the question's check, and of those that the
    sandbox did not break, as long as there is one.
    """
    places = {
        turn.run_id: (at, turn) for at, turn in turns.values() if turn.run_id and turn.speaker is Speaker.CANDIDATE
    }
    codes = {run_id: turn.answer.code if turn.answer else "" for run_id, (_, turn) in places.items()}
    checked = [run for run in result.runs if result.question.check and codes.get(run.id)]
    counting = [run for run in checked if run.status is not RunStatus.BOX_BROKEN] or checked
    reports: list[SubmissionReport] = []
    for run in result.runs:
        submitted = run in checked
        number = sum(report.submitted == submitted for report in reports) + 1
        reports.append(
            SubmissionReport(
                number=len(reports) + 1,
                name=f"Submission {number}" if submitted else f"Code that was tried, run {number}",
                submitted=submitted,
                turn=places[run.id][0] if run.id in places else 0,
                counts=bool(counting) and run is counting[-1],
                status=run.status.value,
                status_text=STATUSES[run.status],
                cases=tuple(_case(case) for case in run.cases),
                passed=sum(case.passed for case in run.cases),
                code=codes.get(run.id, ""),
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
        )
    return tuple(reports)


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
