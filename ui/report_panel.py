"""The report at the end of an interview, and its downloads."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui import words
from ui.dispute_panel import DisputePanel
from ui.handlers import Update
from ui.parts import Parts
from ui.render import Screen
from ui.wiring import Changes, Plain


class ReportPanel(Plain):
    """Shown when the interview is over."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        with gr.Column(visible=False, elem_id="report") as self.report:
            self.head = gr.HTML("", padding=False)
            self.dispute = DisputePanel(Screen.ENDED)
            self.frame = gr.HTML("", padding=False)

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.report, self.head, self.frame]

    def changes(self, update: Update) -> Changes:
        """The report, made from the stored session."""
        view = update.view
        if update.left:
            return {self.report: gr.update(visible=False), self.frame: "", self.head: ""}
        if view is None:
            return {}
        changes: Changes = {self.report: gr.update(visible=view.screen is Screen.ENDED)}
        if view.screen is Screen.ENDED:
            session = self._parts.service().session(view.session_id)
            document = self._parts.reports["html"](session).content.decode()
            off = {name: why for name, tell in self._parts.reports_off.items() if (why := tell())}
            changes[self.head] = words.report_head(view.session_id, list(self._parts.reports), off)
            changes[self.frame] = words.frame(document)
        return changes
