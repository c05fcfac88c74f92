"""The History tab: kept progress, and the interviews whose links this browser keeps."""

from __future__ import annotations

import gradio as gr

from ui import words
from ui.wiring import Plain


class HistoryPanel(Plain):
    """A list that the page's script fills from the browser's own storage. `profile` is the column above it."""

    def __init__(self) -> None:
        with gr.Column(elem_id="tab-history", elem_classes="viva-tab"):
            gr.HTML(words.HISTORY, padding=False)
            with gr.Column() as self.profile:
                pass
            gr.HTML('<div id="viva-history"></div>', padding=False)
