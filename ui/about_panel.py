"""The About tab: in plain words, what is at work, and what happens to what people write."""

from __future__ import annotations

import gradio as gr

from ui import words
from ui.parts import Parts
from ui.wiring import Changes, Plain


class AboutPanel(Plain):
    """Facts, which are complete once everything is loaded."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        with gr.Column(elem_id="tab-about", elem_classes="viva-tab"):
            self.about = gr.HTML(words.about(parts.facts()), padding=False)

    def facts(self) -> Changes:
        """Which judge, sandbox and device are at work."""
        return {self.about: words.about(self._parts.facts())}
