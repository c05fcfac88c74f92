"""The Library tab: questions and study notes, found by meaning; sources and errata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui import words
from ui.handlers import Update
from ui.shelf import CLOSED
from ui.wiring import Changes, Plain, Wiring


class LibraryPanel(Plain):
    """Search and read. `documents` is the column for a person's own documents."""

    def __init__(self) -> None:
        with gr.Column(elem_id="tab-library", elem_classes="viva-tab"):
            gr.HTML(words.LIBRARY, padding=False)
            with gr.Row(elem_id="library-search", elem_classes="viva-actions"):
                self.query = gr.Textbox(
                    show_label=False, label="Search questions and notes", elem_id="query", max_length=2000, scale=1,
                    placeholder="gradients explode, running statistics, cache() and shuffle()…",
                )  # fmt: skip
                self.search = gr.Button("Search", variant="primary", elem_id="search", scale=0, min_width=110)
                self.all = gr.Button("Show all", elem_id="browse", scale=0, min_width=110)
            self.found = gr.HTML("", padding=False, elem_id="viva-found")
            with gr.Column(elem_id="documents") as self.documents:
                pass

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.found, self.search, self.all]

    def changes(self, update: Update) -> Changes:
        """What was found; closed while an exam is open."""
        changes: Changes = {}
        if update.view is not None:
            shut = update.view.library_closed
            changes |= {
                self.search: gr.update(value="Search", interactive=not shut),
                self.all: gr.update(value="Show all", interactive=not shut),
            }
            if shut:
                changes[self.found] = f'<p class="viva-empty">{CLOSED}</p>'
            elif update.load_code:  # another question is open: what was shown of it may not stay
                changes[self.found] = ""
        if update.found is not None:
            changes[self.found] = update.found
        return changes

    def wire(self, wiring: Wiring) -> None:
        """Search by button or Enter."""
        h = wiring.handlers

        def everything(session_id: str) -> Iterator[Update]:
            yield from h.search(session_id, "")

        wiring.on(self.search.click, h.search, [wiring.session, self.query])
        wiring.on(self.query.submit, h.search, [wiring.session, self.query])
        wiring.on(self.all.click, everything, [wiring.session])
