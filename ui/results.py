"""Code runs as HTML. Everything a submission could have written is escaped: names, reasons, values, output, errors."""

from __future__ import annotations

from collections.abc import Sequence

from domain import Case, RunReport, RunStatus
from ui.text import html

OUTPUT_SHOWN = 4_000  # characters, of the tail
_ENDED = {
    RunStatus.CRASHED: "It stopped with an error",
    RunStatus.TIMED_OUT: "It ran out of time",
    RunStatus.OUT_OF_MEMORY: "It ran out of memory",
    RunStatus.BOX_BROKEN: "The sandbox failed. This is our fault and does not count",
}


def mark(kind: str, symbol: str, words: str) -> str:
    """A round mark with its meaning in words for those who do not see it. `kind` is good, bad, gold or empty."""
    seen = f'<span class="viva-mark {kind}" aria-hidden="true">{symbol}</span>'
    return f'<span>{seen}<span class="viva-hidden">{html(words)}: </span></span>'


def headline(run: RunReport) -> tuple[str, str]:
    """The run in a few words, and the kind of mark it gets."""
    passed = sum(case.passed for case in run.cases)
    if run.status is RunStatus.BOX_BROKEN:
        return _ENDED[run.status], "gold"
    if run.status in _ENDED:
        done = f" after {passed} of {len(run.cases)} cases had passed" if run.cases else ""
        return _ENDED[run.status] + done, "bad"
    if not run.cases:
        return "It ran; nothing was checked", "gold"
    if run.passed:
        return (f"All {passed} cases passed" if passed > 1 else "The case passed"), "good"
    return f"{passed} of {len(run.cases)} cases passed", "bad"


def _case(case: Case) -> str:
    sign = mark("good", "✓", "passed") if case.passed else mark("bad", "✗", "failed")
    hidden = "" if case.visible else ' <span class="aspect">· hidden case</span>'
    why = f'<div class="why">{html(case.why)}</div>' if case.why else ""
    rows = "".join(f"<tr><th scope='row'>{html(label)}</th><td>{html(value)}</td></tr>" for label, value in case.values)
    values = f'<table class="viva-values"><tbody>{rows}</tbody></table>' if rows and case.visible else ""
    aspect = f'<div class="aspect">{html(case.aspect)}</div>'
    return f'<li>{sign}<div><span class="name">{html(case.name)}</span>{hidden}{aspect}{why}{values}</div></li>'


def _meta(run: RunReport) -> str:
    parts = [f"{run.seconds:.3f} s" if run.seconds < 1 else f"{run.seconds:.1f} s", f"on {run.device}"]
    parts.append(f"isolation {run.isolation}" if run.isolation else "")
    parts.append(f"{run.peak_memory / 2**20:.0f} MiB" if run.peak_memory else "")
    parts += [f"{name} {version}" for name, version in run.versions]
    return " · ".join(html(part) for part in parts if part)


def run_html(run: RunReport, number: int, of: int) -> str:
    """One run: headline, cases, error, tail of the output.

    `number` counts the submissions, 0 for a run that is none; `of` is how many are allowed, 0 for any.
    """
    which = f"Submission {number} of {of}" if of else f"Submission {number}"
    return _section(run, which if number else "Run (not counted)", *headline(run))


def _section(run: RunReport, which: str, words: str, kind: str) -> str:
    cases = "".join(_case(case) for case in sorted(run.cases, key=lambda case: case.passed))  # what failed comes first
    body = f'<ol class="viva-cases">{cases}</ol>' if cases else ""
    if run.error:
        line = f"line {run.error_line}: " if run.error_line else ""
        body += f'<pre class="error" tabindex="0">{html(line + run.error[-OUTPUT_SHOWN:])}</pre>'
    if run.stdout_tail:
        tail = html(run.stdout_tail[-OUTPUT_SHOWN:])
        folded = "" if cases else " open"
        body += f'<details{folded}><summary>What it printed</summary><pre tabindex="0">{tail}</pre></details>'
    return (
        f'<section class="viva-run {kind}" aria-label="{which}"><header><h3>{which}</h3>'
        f'<span class="verdict">{html(words)}</span><span class="meta">{_meta(run)}</span></header>{body}</section>'
    )


def trial_html(run: RunReport) -> str:
    """A run of code that was only tried, on the visible cases."""
    words, kind = headline(run)
    return _section(run, "Tried, not submitted", words, kind)


def runs_html(runs: Sequence[RunReport], of: int) -> str:
    """All runs on one question, the last first and open; the others folded away. Empty without runs."""
    if not runs:
        return ""
    blocks, submitted = [], 0
    for run in runs:
        submitted += bool(run.check_hash)  # a run without a check is of code in an answer, and uses none up
        blocks.append(run_html(run, submitted if run.check_hash else 0, of))
    earlier = "".join(reversed(blocks[:-1]))
    count = len(blocks) - 1
    fold = f'<details class="viva-earlier"><summary>Earlier runs ({count})</summary>{earlier}</details>'
    return blocks[-1] + (fold if count else "")
