"""The Library tab: questions and study notes, found by meaning; sources and errata."""

from __future__ import annotations

import gradio as gr

from ui import words
from ui.wiring import Plain


class LibraryPanel(Plain):
    """Search and read. `documents` is the column for a person's own documents."""

    def __init__(self) -> None:
        with gr.Column(elem_id="tab-library", elem_classes="viva-tab"):
            gr.HTML(words.LIBRARY, padding=False)
            with gr.Column(elem_id="documents") as self.documents:
                pass
