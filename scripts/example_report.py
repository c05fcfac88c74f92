"""Writes docs/example-report.html: the example interview's report, the same each time."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.rubric import combine, score  # noqa: E402
from report.build import build  # noqa: E402
from report.html import render_html  # noqa: E402
from report.sample import example  # noqa: E402

TARGET = ROOT / "docs" / "example-report.html"


def page() -> str:
    """The example's report as HTML, without a time of making."""
    return render_html(build(example(score, combine)))


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(page(), encoding="utf-8")
    print(TARGET.relative_to(ROOT))
