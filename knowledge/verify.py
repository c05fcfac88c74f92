"""Proves the bank: rules that files show, and what only running the submissions can show.

Every finding names the question, the rule and what is wrong. A fault makes the bank unfit; a warning is said and no
more. Right submissions must pass and wrong ones fail on the case that they name, on several seeds, in the sandbox that
is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from domain import Embedder, Framework, Question, RunReport, RunStatus, SandboxBackend, Submission
from knowledge.questions import Bank
from knowledge.rules import Finding, caught_by, duplicate_findings, file_findings, subject_findings, unfinished_findings


@dataclass(frozen=True)
class Ran:
    """One submission run under one seed, and what it had to do."""

    question_id: str
    file: str
    seed: int
    report: RunReport
    caught_by: str = ""


@dataclass
class Verification:
    """All findings, and the runs behind them."""

    findings: list[Finding] = field(default_factory=list)
    runs: list[Ran] = field(default_factory=list)

    @property
    def faults(self) -> list[Finding]:
        """The findings that make the bank unfit."""
        return [finding for finding in self.findings if finding.severity == "fault"]


def framework_of(question: Question) -> Framework:
    """Where the question's code runs: a question on both frameworks starts in PyTorch."""
    return Framework.TENSORFLOW if question.framework is Framework.TENSORFLOW else Framework.PYTORCH


@dataclass(frozen=True)
class _Job:
    question: Question
    file: str
    code: str
    seed: int
    expect: Literal["pass", "fail"]
    caught_by: str = ""


def _jobs(bank: Bank, questions: Iterable[Question], seeds: Sequence[int]) -> Iterator[_Job]:
    for question in questions:
        if not question.check:
            continue
        for seed in seeds:
            for path in bank.submissions(question.id, "right"):
                yield _Job(question, f"right/{path.name}", path.read_text(encoding="utf-8"), seed, "pass")
            for path in bank.submissions(question.id, "wrong"):
                name, fault = caught_by(path)
                if not fault or name:
                    yield _Job(question, f"wrong/{path.name}", path.read_text(encoding="utf-8"), seed, "fail", name)
        yield _Job(question, "starter", question.starter, seeds[0], "fail")


def _run(bank: Bank, job: _Job, sandbox: SandboxBackend) -> Ran:
    submission = Submission(job.code, framework_of(job.question), bank.check_path(job.question.id), job.seed)
    return Ran(job.question.id, job.file, job.seed, sandbox.run(submission), job.caught_by)


def run_findings(job_expects: str, ran: Ran) -> Iterator[Finding]:
    """What one run shows against what it had to do."""
    where, report = f"{ran.question_id}/{ran.file}", ran.report
    seed = f"seed {ran.seed}"
    failed = [case.name for case in report.cases if not case.passed]
    if report.status is RunStatus.BOX_BROKEN:
        yield Finding(where, "sandbox", f"the box broke ({seed}): {report.error:.200}")
    elif job_expects == "pass" and not report.passed:
        why = next((case.why for case in report.cases if not case.passed), "") or report.error
        yield Finding(where, "right passes", f"is {report.status.value} ({seed}) on {failed or 'no case'}: {why:.200}")
    elif job_expects == "fail" and report.passed:
        yield Finding(where, "wrong fails", f"passes ({seed})")
    elif ran.caught_by and ran.caught_by not in failed and ran.caught_by != report.status.value.replace("_", "-"):
        what = f"must fail on {ran.caught_by} ({seed}); is {report.status.value} on {failed or 'no case'}"
        yield Finding(where, "caught by", f"{what} {report.error:.120}".rstrip())


def case_findings(question: Question, runs: Iterable[Ran]) -> Iterator[Finding]:
    """Cases that points name and no right run shows; cases that no point uses; a check without visible or hidden."""
    reports = [ran.report for ran in runs if ran.question_id == question.id and ran.file.startswith("right/")]
    shown = [{case.name: case for case in report.cases} for report in reports if report.passed]
    if not shown:
        return
    named = {case for point in question.points for case in point.cases}
    everywhere = set.intersection(*({*cases} for cases in shown))
    for name in sorted(named - everywhere):
        yield Finding(question.id, "cases", f"a point names the case {name}, which not every right run shows")
    for name in sorted(everywhere - named):
        yield Finding(question.id, "cases", f"no point uses the case {name}", "warning")
    if not any(not case.visible for case in shown[0].values()):
        yield Finding(question.id, "cases", "the check has no hidden case")


def verify(
    bank: Bank,
    sandbox: SandboxBackend | None,
    embedder: Embedder | None,
    seeds: Sequence[int] = (0, 1, 2),
    jobs: int = 2,
    require_all: bool = False,
    progress: Callable[[Ran], None] | None = None,
) -> Verification:
    """Check the whole bank. Without a sandbox nothing is run, without an embedder nothing is compared by meaning."""
    questions = list(bank.questions.values())
    result = Verification()
    for question in questions:
        result.findings += file_findings(bank, question)
    result.findings += unfinished_findings(bank)
    result.findings += subject_findings(questions, require_all)
    if embedder is not None and questions:
        result.findings += duplicate_findings(questions, embedder)
    if sandbox is None:
        return result
    planned = list(_jobs(bank, questions, seeds))
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        for job, ran in zip(planned, pool.map(lambda job: _run(bank, job, sandbox), planned), strict=True):
            result.runs.append(ran)
            result.findings += run_findings(job.expect, ran)
            if progress:
                progress(ran)
    for question in questions:
        result.findings += case_findings(question, result.runs)
    return result
