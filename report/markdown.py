"""Renders a report as Markdown that shows a stranger's text and never acts on it.

Single lines are escaped; whatever has lines of its own (answers, code, output, and the Markdown of questions, since a
session can be imported) stands in code blocks that nothing in it can end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from report import words
from report.model import PointReport, QuestionReport, Report, SubmissionReport, TurnReport
from report.text import visible

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&^]|^[#+=:-]|(?<=^\d)[.)](?= )|(?<=^\d\d)[.)](?= ))")
"""What acts inside a line, and what acts at its start: headings, lists, rulers, numbered lists."""
_ICONS = {"met": "✓", "avoided": "✓", "missing": "○", "wrong": "✗", "fault": "✗", "ungraded": "?"}


def render_markdown(report: Report) -> str:
    """The report as CommonMark text with a line end."""
    blocks = [block for part in (_head(report), _questions(report), _foot(report)) for block in part]
    return "\n\n".join(block for block in blocks if block) + "\n"


def line(text: str) -> str:
    """A stranger's text on one line, with everything escaped that Markdown or HTML would act on."""
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def block(text: str, language: str = "text") -> str:
    """A stranger's text as a code block that nothing in it can end."""
    text = visible(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _head(report: Report) -> Iterator[str]:
    yield "# Interview report"
    yield line(report.plan.text)
    if report.plan.focus:
        yield f"Your focus: “{line(report.plan.focus)}”"
    if report.reader:
        yield f"Read by: {line(report.reader)}"
    took = f" · took {words.duration(report.seconds)}" if report.seconds is not None else ""
    yield f"{words.day(report.started_at)}{took} · report {report.public_id}"
    if report.state != "finished":
        yield f"**{line(report.state_text)}**"
    yield "## Overall"
    percent = report.overall.percent if report.overall else None
    yield f"**{percent} %**" if percent is not None else "**No score**"
    yield line(report.overall_text)
    yield line(report.revised_text)
    yield line(report.trend_text)
    yield f"*{line(report.disclaimer)}*"
    if not report.questions:
        return
    yield "## Study these first"
    yield line(report.study_text)
    for item in report.study:
        lines = [
            f"{item.number}. **{line(item.says)}** ({item.problem_text}; question {item.question}, item {item.point})"
        ]
        lines += [f"   Found: {line(item.found)}"] if item.found else []
        lines += [f"   In fact: {line(item.correction)}"] if item.correction and item.correction != item.says else []
        lines += [f"   Why it matters: {line(item.matters)}"] if item.matters else []
        lines += [f"   Read: {', '.join(line(url) for url in item.read)}"] if item.read else []
        yield "\\\n".join(lines)
        for passage in item.passages:
            yield f"To read on this: {line(passage.title)}"
            yield block(passage.text, "markdown")
    if not report.topics:
        return
    yield "## Topic by topic"
    rows = ["| Topic | Questions | Items | Score |", "|---|---:|---|---|"]
    for topic in report.topics:
        score = topic.score.text if topic.score else "Not scored yet."
        if topic.score and topic.score.percent is not None:
            score = f"{topic.score.percent} %: {score}"
        score = f"{score} {topic.level_text}".strip()
        rows.append(f"| {line(topic.name)} | {topic.questions} | {topic.coverage.text} | {line(score)} |")
    yield "\n".join(rows)


def _questions(report: Report) -> Iterator[str]:
    for question in report.questions:
        yield f"## {question.number}. {line(question.title)}"
        yield line(f"{question.topic_name} · {question.framework} · {question.level} · {question.kind}")
        if question.score:
            percent = f"**{question.score.percent} %.** " if question.score.percent is not None else ""
            yield f"{percent}{line(question.score.text)}"
        yield line(" · ".join(part for part in (question.facts, question.state_text) if part))
        yield "### The question"
        yield block(question.ask, "markdown")
        if question.why_chosen:
            yield f"Why it was asked: {line(question.why_chosen)}"
        yield "### What was said"
        if not question.turns:
            yield "You gave no answer."
        for turn in question.turns:
            yield from _turn(turn)
        for run in question.submissions:
            yield from _run(run, len(question.submissions))
        if question.points:
            yield "### What a full answer contains"
        for point in question.points:
            yield _point(point)
        yield from _lessons(question)


def _turn(turn: TurnReport) -> Iterator[str]:
    facts = [turn.label]
    if turn.seconds is not None:
        facts.append(words.duration(turn.seconds))
    if turn.edited:
        facts.append("you corrected the transcript")
    yield f"**{line(' · '.join(facts))}**"
    if turn.segments:
        yield block("".join(segment.text for segment in turn.segments))
    misheard = [segment.text for segment in turn.segments if segment.misheard and segment.text.strip()]
    if misheard:
        yield "Recognised from speech with low confidence: " + ", ".join(f"“{line(text)}”" for text in misheard)
    if turn.recognised:
        yield "Recognised before you corrected it:"
        yield block(turn.recognised)
    if turn.corrections:
        put_right = ", ".join(f"“{line(item.name)}” as “{line(item.value)}”" for item in turn.corrections)
        yield f"Put right as words of the field: {put_right}"
    if turn.code:
        yield block(turn.code, "python")


def _run(run: SubmissionReport, runs: int) -> Iterator[str]:
    yield f"### {run.name}{', the one that counts' if run.counts and runs > 1 else ''}"
    passed = f" {run.passed} of {words.count(len(run.cases), 'case')} passed." if run.cases else ""
    where = f" The error is in line {run.error_line}." if run.error_line else ""
    tried = "" if run.submitted else " This was only tried: it decides nothing."
    yield f"{line(run.status_text)}.{passed}{where}{tried}"
    if run.code:
        yield block(run.code, "python")
    if run.error:
        yield "Error:"
        yield block(run.error)
    cases = []
    for case in run.cases:
        hidden = "" if case.visible else " (hidden)"
        why = f": {line(case.why)}" if case.why else ""
        cases.append(f"- {'✓ Passed' if case.passed else '✗ Failed'}: {line(case.aspect or case.name)}{hidden}{why}")
        cases += [f"  - {line(row.name)}: {line(row.value)}" for row in case.values]
    yield "\n".join(cases)
    if run.stdout_tail:
        yield "What it printed (the end):"
        yield block(run.stdout_tail)
    check = f" · check {run.check_hash[:12]}, seed {run.seed}" if run.check_hash else ""
    yield line(run.facts + check)


def _point(point: PointReport) -> str:
    avoid = "To avoid: " if point.pitfall else ""
    facts = f"{point.earned}; {point.confidence_text}" if point.confidence_text else point.earned
    lines = [f"{point.number}. {_ICONS[point.outcome]} **{point.label}** ({facts}): {avoid}{line(point.says)}"]
    lines += [f"   Your words: “{line(quote.text)}”" for quote in point.quotes]
    for case in point.cases:
        why = f": {line(case.why)}" if case.why else ""
        lines.append(f"   {'Passed' if case.passed else 'Failed'}: {line(case.aspect or case.name)}{why}")
    if point.reason_text:
        lines.append(f"   {line(point.reason_text)}")
    if point.why and not (point.cases and point.proof == "check"):
        lines.append(f"   Reason: {line(point.why)}")
    if point.correction:
        lines.append(f"   In fact: {line(point.correction)}")
    if point.matters and point.outcome not in ("met", "avoided"):
        lines.append(f"   Why it matters: {line(point.matters)}")
    return "\\\n".join(lines)


def _lessons(question: QuestionReport) -> Iterator[str]:
    if question.model_answer or question.model_code:
        yield "### A model answer"
    if question.model_answer:
        yield block(question.model_answer, "markdown")
    if question.model_code:
        yield block(question.model_code, "python")
    if question.errata:
        yield "### Where common answers are wrong"
    for erratum in question.errata:
        said = f"- People say: “{line(erratum.claim)}”"
        yield "\\\n".join((said, f"  {line(erratum.fact)}", f"  How we know: {line(erratum.evidence)}"))
    if question.judged_by:
        yield f"Graded by {line(question.judged_by)}." + (
            f" Rubric {line(question.rubric)}." if question.rubric else ""
        )
    if question.reading:
        yield f"Read more: {', '.join(line(url) for url in question.reading)}"


def _foot(report: Report) -> Iterator[str]:
    if report.delivery:
        yield "## How it was said"
        yield line(report.delivery_text)
        yield "\n".join(
            f"- Question {item.question}: {line(f'{item.text}. {item.advice}')}" for item in report.delivery
        )
    yield from _again(report)
    yield "## How this was graded"
    rows = ["| Judge | Model | Version | Items | Note |", "|---|---|---|---:|---|"]
    for judge in report.judges:
        cells = (
            line(judge.name),
            line(judge.model or "–"),
            line(judge.version or "–"),
            str(judge.points),
            line(judge.note),
        )
        rows.append(f"| {' | '.join(cells)} |")
    if report.judges:
        yield "\n".join(rows)
    yield "### What was not graded, and why"
    yield line(report.ungraded_text)
    yield "\n".join(
        f"- Question {item.question}, item {item.point}: {line(f'{item.says} {item.reason_text} {item.why}')}"
        for item in report.ungraded
    )
    if report.disputes:
        yield "### What was disputed"
        yield "\n".join(
            f"- Question {item.question}, item {item.point}: {line(item.says)} {line(item.text)}"
            for item in report.disputes
        )
    if report.overrides:
        yield "### What a reader changed"
        yield "\n".join(
            f"- Question {item.question}, item {item.point}: {line(item.says)} {line(item.text)}"
            for item in report.overrides
        )
    if report.notices:
        yield "### What was limited"
        yield "\n".join(f"- {line(notice)}" for notice in report.notices)
    yield "### What it ran on"
    facts = [(words.label(item.name), item.value) for item in report.environment]
    facts.append(("Report", f"{report.public_id}, format {report.schema}"))
    facts += [("Interview ended", words.day(report.ended_at))] if report.ended_at else []
    facts += [("Report made", words.day(report.made_at))] if report.made_at else []
    yield "\n".join(f"- {line(name)}: {line(value)}" for name, value in facts)


def _again(report: Report) -> Iterator[str]:
    for again in report.regrades:
        yield "## Graded again"
        yield line(f"{words.day(again.at)}, by {again.judge}, with the bank {again.bank}. {again.text}")
        for item in again.questions:
            yield f"Question {item.question}, {line(item.title)}: {line(words.before_and_after(item))}"
            yield "\n".join(
                f"- {line(row.says)} Then: {row.before}. Now: {row.after}." + (f" {line(row.why)}" if row.why else "")
                for row in item.differences
            )
