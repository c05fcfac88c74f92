"""The About tab: in plain words, what is at work, and what happens to what people write."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui import words
from ui.handlers import Update
from ui.parts import Parts
from ui.wiring import PRIVATE, Changes, Plain, Wiring


class AboutPanel(Plain):
    """Facts, which are complete once everything is loaded."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        with gr.Column(elem_id="tab-about", elem_classes="viva-tab"):
            self.about = gr.HTML(words.about(parts.facts()), padding=False)
            with gr.Column(elem_id="deleting", elem_classes="viva-card"):
                gr.HTML(words.DELETE, padding=False)
                with gr.Row(elem_classes="viva-actions"):
                    self.delete = gr.Button("Delete this interview", variant="stop", elem_id="delete")
                with gr.Row(elem_classes="viva-actions", visible=False, elem_id="delete-sure") as self.sure:
                    gr.HTML("<span>For good, with its report?</span>", padding=False)
                    self.yes = gr.Button("Yes, delete it", variant="stop", elem_id="delete-yes")
                    self.no = gr.Button("Keep it", elem_id="delete-no")

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.sure]

    def changes(self, update: Update) -> Changes:
        """Once it is deleted there is nothing to be sure about."""
        return {self.sure: gr.update(visible=False)} if update.left else {}

    def wire(self, wiring: Wiring) -> None:
        """Deleting asks first."""
        self.delete.click(lambda: gr.update(visible=True), None, self.sure, **PRIVATE)
        self.no.click(lambda: gr.update(visible=False), None, self.sure, **PRIVATE)
        wiring.on(self.yes.click, wiring.handlers.delete, [wiring.session])

    def facts(self) -> Changes:
        """Which judge, sandbox and device are at work."""
        return {self.about: words.about(self._parts.facts())}
