"""The History tab: interviews whose links this browser keeps."""

from __future__ import annotations

import gradio as gr

from ui import words
from ui.wiring import Plain


class HistoryPanel(Plain):
    """A list that the page's script fills from the browser's own storage: the server knows of no person."""

    def __init__(self) -> None:
        with gr.Column(elem_id="tab-history", elem_classes="viva-tab"):
            gr.HTML(words.HISTORY, padding=False)
