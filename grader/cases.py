"""Verdicts on points that the code check proves, from the runs of the submitted code.

Only the last run counts. The rules for a point whose proof is CHECK:

- no run: NOT_MET, nothing was submitted;
- the run ended BOX_BROKEN: UNGRADED, GRADER_FAILED, whatever its cases say; the fault is ours;
- a named case failed: NOT_MET, naming the case;
- every named case passed: MET, with the cases as evidence;
- a named case was never reached because the submission crashed, hung or ran out of memory: NOT_MET, saying so;
- a named case is missing from a run that went to its end, or the point names none: UNGRADED, GRADER_FAILED; the
  bank is at fault.

For a pitfall (negative worth) the sense turns round, since MET means that the fault was committed: a failed case
shows the fault, and a case that was never reached shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain import (
    Case,
    CaseReference,
    JudgedBy,
    PointScore,
    Proof,
    Question,
    RubricPoint,
    RunReport,
    RunStatus,
    UngradedReason,
    Verdict,
)

_ENDED = {
    RunStatus.CRASHED: "the code crashed before this was checked",
    RunStatus.TIMED_OUT: "the time ran out before this was checked",
    RunStatus.OUT_OF_MEMORY: "the memory ran out before this was checked",
}


def score_cases(question: Question, runs: Sequence[RunReport]) -> list[PointScore]:
    """One PointScore for each point with proof CHECK, in the rubric's order. `runs` are in order, the last one counts.

    Call it with no runs only when the question was closed without a submission.
    """
    last = runs[-1] if runs else None
    return [_score(point, last) for point in question.points if point.proof is Proof.CHECK]


def confront(question: Question, scores: Sequence[PointScore], runs: Sequence[RunReport]) -> list[PointScore]:
    """Hold what was said against what ran: a MET point with proof SAID that names cases, one of which failed in the
    last run, becomes CONTRADICTED with that case as added evidence. All other scores come back as they are."""
    last = runs[-1] if runs else None
    if last is None or last.status is RunStatus.BOX_BROKEN:
        return list(scores)
    return [_confront(question.point(item.point_id), item, last) for item in scores]


def _confront(point: RubricPoint, item: PointScore, run: RunReport) -> PointScore:
    failed = next((case for case in run.cases if case.name in point.cases and not case.passed), None)
    if point.proof is not Proof.SAID or point.worth < 0 or item.verdict is not Verdict.MET or failed is None:
        return item
    return replace(
        item,
        verdict=Verdict.CONTRADICTED,
        why=f"You said it, and the run of your code showed otherwise: {failed.aspect}.",
        evidence=(*item.evidence, CaseReference(run.id, failed.name)),
        correction=point.says,
    )


def _score(point: RubricPoint, run: RunReport | None) -> PointScore:
    by = JudgedBy(judge="run")
    if run is None:
        return PointScore(point.id, Verdict.NOT_MET, "No code was submitted.", by)
    by = JudgedBy(judge="run", version=run.check_hash[:12])

    def ungraded(why: str) -> PointScore:
        reason = UngradedReason.GRADER_FAILED
        return PointScore(point.id, Verdict.UNGRADED, why, by, confidence=0.0, reason=reason)

    if run.status is RunStatus.BOX_BROKEN:
        return ungraded("The sandbox failed, which is a fault of the service and not of your code.")
    named = [case for case in run.cases if case.name in point.cases]
    failed = [case for case in named if not case.passed]
    missing = set(point.cases) - {case.name for case in named}
    evidence = tuple(CaseReference(run.id, case.name) for case in (failed or named))
    pitfall = point.worth < 0
    if failed:
        return PointScore(point.id, Verdict.MET if pitfall else Verdict.NOT_MET, _failures(failed), by, evidence)
    if not point.cases:
        return ungraded("The question names no case that could show this.")
    if missing and run.status in _ENDED:
        return PointScore(point.id, Verdict.NOT_MET, f"Not shown: {_ENDED[run.status]}.", by, evidence)
    if missing:
        return ungraded(f"The check did not run its case {sorted(missing)[0]}, which is a fault of the question.")
    why = f"Passed: {', '.join(dict.fromkeys(case.aspect for case in named))}."
    return PointScore(point.id, Verdict.NOT_MET if pitfall else Verdict.MET, why, by, evidence)


def _failures(failed: Sequence[Case]) -> str:
    first = failed[0]
    more = f" ({len(failed) - 1} more failed)" if len(failed) > 1 else ""
    why = first.why.strip()
    return f"Failed: {first.aspect}{': ' + why if why else ''}{more}"
