"""Runs the benchmarks and the long measurements, and writes docs/benchmarks.md with date, commit and machine.

`python scripts/measure.py` runs all; `--only sandbox page` some (the others keep their last figures); `--print` writes
nothing. Each section is the output of one command, which anybody can run alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = """# Benchmarks

Every figure below is the output of the command above it, run by `make measure` (all) or `make bench` (the quick ones).
Absolute times depend on the machine and on what else it does; the ratios were measured side by side in one run.
"""


@dataclass(frozen=True)
class Section:
    """One measurement: its key, title, command (after `python`), and whether `make bench` runs it too."""

    key: str
    title: str
    command: tuple[str, ...]
    quick: bool = True


SECTIONS = (
    Section("page", "Time to page, against a bare Gradio page", ("scripts/bench_page.py",)),
    Section("service", "Time to the first question, and memory", ("scripts/bench_service.py",)),
    Section("sandbox", "Verdict time", ("-m", "sandbox", "bench")),
    Section("grader", "Judge time", ("-m", "grader", "bench")),
    Section("report", "Rendering a report", ("-m", "report", "bench")),
    Section("retrieval", "Retrieval", ("-m", "knowledge", "bench")),
    Section("speech-quick", "Recognising speech, quickly", ("-m", "speech", "bench", "--quick")),
    Section("speech", "Recognising speech", ("-m", "speech", "bench"), quick=False),
    Section("spoken", "The same answers typed and spoken", ("-m", "speech", "bench", "--answers", "100"), quick=False),
    Section("scale", "Index at scale", ("-m", "knowledge", "bench", "--scale"), quick=False),
    Section("verify", "The bank proves itself, 20 seeds", ("-m", "knowledge", "verify", "--seeds", "20"), quick=False),
    Section("mutants", "Mutants that the checks refuse", ("-m", "knowledge", "mutants"), quick=False),
    Section("gaming", "Gaming the grader", ("-m", "grader", "gaming"), quick=False),
    Section("interviews", "300 simulated interviews", ("-m", "interview", "simulate", "300"), quick=False),
    Section("people", "30 people at once", ("scripts/bench_people.py",), quick=False),
)


def measure(section: Section) -> tuple[str, int]:
    """The section as Markdown, and the command's exit status."""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    run = subprocess.run([sys.executable, *section.command], cwd=ROOT, env=environment, capture_output=True, text=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    output = run.stdout.strip() or f"(no output; exit status {run.returncode})\n{run.stderr.strip()[-2000:]}"
    where = f"{datetime.now(UTC):%Y-%m-%d}, commit {commit.stdout.strip() or 'unknown'}, {machine()}"
    text = f"## {section.title}\n\n`python {' '.join(section.command)}` — {where}\n\n```\n{output}\n```\n"
    return text, run.returncode


def machine() -> str:
    """The machine in one line, without its name."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def kept(section: Section) -> str:
    """The section as it stands in the page, or nothing."""
    if not PAGE.exists():
        return ""
    found = re.search(rf"^## {re.escape(section.title)}\n.*?(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return found.group(0).rstrip() + "\n" if found else ""


def main() -> int:
    """Measure, write the page, and return 1 when a command failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[s.key for s in SECTIONS], help="these sections")
    parser.add_argument("--quick", action="store_true", help="what `make bench` runs")
    parser.add_argument("--print", action="store_true", help="print, and leave docs/benchmarks.md alone")
    options = parser.parse_args()
    failed = False
    parts = [INTRODUCTION]
    for section in SECTIONS:
        wanted = section.key in options.only if options.only else section.quick or not options.quick
        if not wanted:
            parts.append(kept(section))
            continue
        text, status = measure(section)
        failed |= status != 0
        print(text, flush=True)
        parts.append(text)
    hand_written = PAGE.read_text().partition("<!-- by hand -->")[2] if PAGE.exists() else ""
    if not options.print:
        page = "\n".join(part for part in parts if part)
        PAGE.write_text(page + (f"\n<!-- by hand -->{hand_written}" if hand_written else ""))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
