"""Times the making of reports: `python -m report bench`, and `python -m report bench --format pdf`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from domain import Session
from report.build import build
from report.html import render_html
from report.json import render_json
from report.markdown import render_markdown
from report.model import Report
from report.pdf import render_pdf


@dataclass(frozen=True)
class Timing:
    """Seconds from a stored session to a rendered report: the first time, with all imports that it needs, and the
    median of those after it. `cpu` is processor seconds of the last, `size` is in bytes."""

    format: str
    first: float
    median: float
    cpu: float
    size: int


def measure(session: Session, repeats: int = 5) -> list[Timing]:
    """Build and render the session in every format that needs no further program."""
    renderers: dict[str, Callable[[Report], str]] = {
        "html": render_html,
        "json": render_json,
        "md": render_markdown,
    }
    return [_time(name, render, session, repeats) for name, render in renderers.items()]


def measure_pdf(session: Session, repeats: int = 1) -> list[Timing]:
    """Build and render the session as PDF. Raises UserError where PDF is off."""
    return [_time("pdf", render_pdf, session, repeats)]


def _time(name: str, render: Callable[[Report], str | bytes], session: Session, repeats: int) -> Timing:
    times: list[float] = []
    content: str | bytes = ""
    cpu = 0.0
    for _ in range(repeats + 1):
        start, used = time.perf_counter(), time.process_time()
        content = render(build(session, 0.0))
        times.append(time.perf_counter() - start)
        cpu = time.process_time() - used
    size = len(content.encode() if isinstance(content, str) else content)
    return Timing(name, times[0], sorted(times[1:])[repeats // 2], cpu, size)
