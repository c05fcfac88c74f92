"""What the interviewer says of results: a code run case by case, and the feedback on a question, point by point.

Everything that a candidate or their program wrote is quoted escaped, or in a code block that it cannot end.
"""

from __future__ import annotations

from domain import (
    Case,
    CaseReference,
    Mode,
    PointScore,
    QuestionResult,
    Quote,
    RubricPoint,
    RunReport,
    RunStatus,
    Score,
    Session,
    UngradedReason,
    Verdict,
)
from interview.blocks import fenced
from interview.lines import literal, words_of

_ENDED = {
    RunStatus.OK: "ran to its end",
    RunStatus.WRONG: "ran to its end",
    RunStatus.CRASHED: "stopped with an error",
    RunStatus.TIMED_OUT: "ran out of time and was stopped",
    RunStatus.OUT_OF_MEMORY: "ran out of memory and was stopped",
    RunStatus.BOX_BROKEN: "could not be run: the sandbox failed, which is our fault and does not count against you",
}
_UNGRADED = {
    UngradedReason.UNCERTAIN: "I could not tell from your words",
    UngradedReason.UNINTELLIGIBLE: "your words could not be understood",
    UngradedReason.NOT_ASKED: "it was not asked",
    UngradedReason.GRADER_FAILED: "the grader failed, which is not your fault",
}
_SHOWN_OUTPUT = 2_000


def run_result(run: RunReport, *, checked: bool, mode: Mode, number: int, limit: int) -> str:
    """The result of one run. `number` of `limit` submissions are used; both matter only where a check ran.

    In an exam only that it ran: which cases passed is part of the feedback at the end.
    """
    foot = _circumstances(run)
    if checked and mode is Mode.EXAM and run.status is RunStatus.BOX_BROKEN:
        return f"Your code could not be run to its end: the sandbox failed, which does not count against you. {foot}"
    if checked and mode is Mode.EXAM:
        return f"Your code is in and was run. What it showed comes with the feedback at the end. {foot}"
    lines = [_headline(run, checked)]
    if run.cases:
        lines.append("\n".join(_case(case) for case in run.cases))
    if run.error:
        where = f" (line {run.error_line})" if run.error_line else ""
        lines += [f"The error{where}:", fenced(run.error[-_SHOWN_OUTPUT:], "text")]
    if run.stdout_tail.strip():
        lines += ["What it printed:", fenced(run.stdout_tail[-_SHOWN_OUTPUT:], "text")]
    elif not checked and run.status is RunStatus.OK:
        lines.append("It printed nothing.")
    if checked and run.status is not RunStatus.BOX_BROKEN:
        left = limit - number
        foot += f" Submission {number} of {limit}" + (f", {left} left." if left else ", the last one.")
    return "\n\n".join((*lines, foot))


def _headline(run: RunReport, checked: bool) -> str:
    if not checked:
        return f"I ran your code: it {_ENDED[run.status]}."
    if not run.cases:
        return f"Your code {_ENDED[run.status]}."
    passed = sum(case.passed for case in run.cases)
    ended = "" if run.status in (RunStatus.OK, RunStatus.WRONG) else f", then it {_ENDED[run.status]}"
    return f"Your code passed {passed} of {len(run.cases)} cases{ended}."


def _case(case: Case) -> str:
    line = f"- {'✓' if case.passed else '✗'} **{literal(case.aspect)}**"
    if case.why and not case.passed:
        line += f": {literal(case.why)}"
    rows = "".join(f"\n  - {literal(label)}: {literal(value)}" for label, value in case.values) if case.visible else ""
    return line + rows


def _circumstances(run: RunReport) -> str:
    took = f"{run.seconds * 1000:.0f} ms" if run.seconds < 1 else f"{run.seconds:.1f} s"
    return f"Took {took} on {run.device}, isolation {run.isolation or 'unknown'}."


def question_feedback(session: Session, result: QuestionResult) -> str:
    """The feedback on a closed question: its score, then each point with the words or cases that decided it."""
    if result.score is None:
        return f"**{result.question.title}**: left open, so it is not counted."
    order = (Verdict.MET, Verdict.CONTRADICTED, Verdict.NOT_MET, Verdict.UNGRADED)
    lines = []
    for verdict in order:
        for item in result.scores:
            point = result.question.point(item.point_id)
            if item.verdict is verdict and (point.worth > 0 or verdict is Verdict.MET):
                lines.append(_point(session, point, item))
    skipped = " You skipped it." if result.skipped else ""
    if result.question.draft:
        skipped += f" *Draft rubric, made from {literal(result.question.draft)} and reviewed by nobody.*"
    return f"**{result.question.title}**: {score_in_words(result.score)}{skipped}\n\n" + "\n".join(lines)


def score_in_words(score: Score) -> str:
    """ "6.5 of 8 points (81 %)", with the bounds where something could not be graded."""
    text = f"{_number(score.earned)} of {_number(score.worth)} points"
    if score.graded > 0.999:
        return f"{text} ({score.value:.0%})." if score.value is not None else f"{text}."
    between = f"between {_number(score.low)} and {_number(score.high)}"
    bounds = f"{text}; {1 - score.graded:.0%} could not be graded, so it lies {between}."
    return bounds if score.value is not None else f"{bounds} Too little was graded to give a percentage."


def _number(points: float) -> str:
    return f"{round(points, 2):g}"


def _point(session: Session, point: RubricPoint, item: PointScore) -> str:
    if point.worth < 0:
        return f"- **A fault** (−{-point.worth:g}): {point.says}{_shown_by(session, item)} {point.why}".rstrip()
    if item.verdict is Verdict.MET:
        late = "" if item.credit >= 1 else f", {item.credit:.0%} of its worth, since it came with help"
        earned = f"{_number(point.worth * item.credit)} of {point.worth:g}{late}"
        return f"- **Credited** ({earned}): {point.says}{_shown_by(session, item)}"
    if item.verdict is Verdict.CONTRADICTED:
        correction = item.correction or point.says
        return f"- **To correct** (0 of {point.worth:g}): {correction}{_shown_by(session, item)} {point.why}".rstrip()
    if item.verdict is Verdict.UNGRADED:
        reason = _UNGRADED[item.reason] if item.reason else "there is no verdict"
        return f"- **Not graded** ({point.worth:g}), since {reason}: {point.says}"
    shown = f" {literal(item.why)}" if point.cases and item.why else ""
    return f"- **Missed** (0 of {point.worth:g}): {point.says}{shown} {point.why}".rstrip()


def _shown_by(session: Session, item: PointScore) -> str:
    quotes = [words_of(session, evidence) for evidence in item.evidence if isinstance(evidence, Quote)]
    if said := [words for words in quotes if words]:
        return f" You said: “{said[0]}”."
    cases = [evidence.name for evidence in item.evidence if isinstance(evidence, CaseReference)]
    return f" Shown by your code ({', '.join(literal(name) for name in cases)})." if cases else ""


def overall(session: Session) -> str:
    """The closing sentence on the score."""
    if session.overall is None:
        return "Nothing was graded, so there is no score."
    return f"Overall: {score_in_words(session.overall)}"
