"""Renders a report as JSON, after the schema in `report/schema.json`."""

from __future__ import annotations

import dataclasses
import json

from report.model import Report

_ESCAPES = {
    code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
}
"""Characters that JSON allows raw and that editors, logs or scripts mistake; they only ever occur inside strings."""


def render_json(report: Report) -> str:
    """The report as JSON text with a line end; strings are the session's own, unchanged but for the masked id."""
    text = json.dumps(dataclasses.asdict(report), ensure_ascii=False, indent=2, allow_nan=False)
    return text.translate(_ESCAPES) + "\n"
