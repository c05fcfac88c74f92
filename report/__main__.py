"""`python -m report`: a stored interview as a file, from the command line.

python -m report SESSION_ID --format html|json|md|pdf [-o FILE]
python -m report bench [--questions 40] [--format pdf] [--json]
python -m report schema [-o report/schema.json]
python -m report scorecard SESSION_ID [-o FILE]
python -m report csv BATCH [-o FILE]

The last two are for an interviewer, and work only where VIVA_INTERVIEWER_KEY is set (see `python -m interview invite`).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import settings
from domain import Session, UserError
from grader.rubric import combine, score
from interview.events import Invited, load_all
from interview.session import fold
from interview.store import SQLiteStore
from report.bench import measure, measure_pdf
from report.build import build
from report.html import render_html
from report.json import render_json
from report.markdown import render_markdown
from report.model import Report
from report.pdf import render_pdf
from report.sample import example, long
from report.schema import schema
from report.scorecard import scorecard, table

RENDERERS: dict[str, Callable[[Report], str | bytes]] = {
    "html": render_html,
    "json": render_json,
    "md": render_markdown,
    "pdf": render_pdf,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when it did what was asked, 1 with a message on stderr when it could not."""
    parser = argparse.ArgumentParser(prog="python -m report", description="Make the report of a stored interview.")
    parser.add_argument(
        "what", metavar="SESSION_ID|bench|schema|scorecard|csv", help="the id in the interview's link, or a command"
    )
    parser.add_argument("name", nargs="?", default="", help="for scorecard: a SESSION_ID; for csv: a batch")
    parser.add_argument("--format", choices=sorted(RENDERERS), default="html")
    parser.add_argument("-o", "--output", type=Path, help="write to this file; without it, to standard output")
    parser.add_argument("--questions", type=int, default=40, help="for bench: how long an interview (default 40)")
    parser.add_argument("--json", action="store_true", help="for bench: print JSON")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.what == "bench":
            return bench(chosen.questions, chosen.json, chosen.format == "pdf")
        if chosen.what in ("scorecard", "csv"):
            write(for_interviewer(chosen.what, chosen.name), chosen.output)
            return 0
        content = (
            schema() if chosen.what == "schema" else RENDERERS[chosen.format](build(stored(chosen.what), time.time()))
        )
        write(content, chosen.output)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def stored(session_id: str) -> Session:
    """The session as the store has it. Raises UserError when there is none, or it cannot be read."""
    path = settings.from_environment().data / "sessions.sqlite3"
    if not path.exists():
        raise UserError(f"There are no stored interviews: {path} does not exist. VIVA_DATA names the folder.")
    store = SQLiteStore(path)
    try:
        events = load_all(store.events(session_id))
    finally:
        store.close()
    if not events:
        raise UserError("There is no interview with that id. It is the last part of the interview's link.")
    return fold(session_id, events)


def for_interviewer(what: str, name: str) -> str:
    """A scorecard, or the table of a batch. Raises UserError where that is off, or there is nothing of that name."""
    chosen = settings.from_environment()
    if not chosen.interviewer_key:
        raise UserError("This is for interviewers, and off: set VIVA_INTERVIEWER_KEY to switch it on.")
    if what == "scorecard":
        return scorecard(stored(name), time.time())
    store = SQLiteStore(chosen.data / "sessions.sqlite3")
    try:
        ids = store.holding(Invited.kind)
        sessions = [fold(session_id, load_all(store.events(session_id))) for session_id in ids]
    finally:
        store.close()
    batch = [session for session in sessions if session.invitation and session.invitation.batch == name]
    if not batch:
        raise UserError(f"Nobody was invited under the name {name!r}.")
    return table(batch)


def write(content: str | bytes, output: Path | None) -> None:
    """Write to the file, or to standard output. Raises UserError when the file cannot be written."""
    data = content.encode() if isinstance(content, str) else content
    if output is None:
        sys.stdout.buffer.write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror}.") from None


def bench(questions: int, as_json: bool, pdf: bool) -> int:
    """Print how long reports take. Returns 1 when one takes more than the 2 s that it may take."""
    session = long(example(score, combine), questions)
    timings = measure_pdf(session) if pdf else measure(session)
    if as_json:
        print(json.dumps([dataclasses.asdict(timing) for timing in timings], indent=1))
    else:
        for timing in timings:
            times = f"first {timing.first:.3f} s  median {timing.median:.3f} s  processor {timing.cpu:.3f} s"
            print(f"{timing.format:5} {questions} questions  {times}  {timing.size / 1024:6.0f} KiB")
    return int(any(timing.first > 2.0 for timing in timings))


if __name__ == "__main__":
    raise SystemExit(main())
