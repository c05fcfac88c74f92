"""Around everything: the bar with the tabs, the line of facts, what is loading, notices, and the page's place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui import words
from ui.handlers import Update
from ui.parts import Parts
from ui.wiring import PRIVATE, Changes, Wiring


class FramePanel:
    """The bar and the lines under it; `session`, `seen` and `shown` are the page's place in the interview."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        gr.HTML(words.TOP, elem_id="viva-top", padding=False)
        self.line = gr.HTML(words.facts_line(parts.facts()), elem_id="viva-facts", padding=False)
        self.loading = gr.HTML(words.loading_line(parts.loading.state()), elem_id="viva-loading", padding=False)
        self.notice = gr.HTML("", elem_id="viva-notice", padding=False)
        self.session = gr.Textbox("", visible="hidden", elem_id="session", label="session")
        self.seen = gr.Number(0, visible="hidden", elem_id="seen", label="seen")
        self.shown = gr.Textbox("", visible="hidden", elem_id="shown", label="shown")
        self.profile = gr.Textbox("", visible="hidden", elem_id="profile-secret", label="profile")
        self.timer = gr.Timer(1.0)

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.notice, self.session, self.seen, self.shown]

    def changes(self, update: Update) -> Changes:
        """The notice, and where the page stands now."""
        changes: Changes = {}
        if update.notice is not None:
            changes[self.notice] = words.notice(update.notice, bad=update.bad)
        if update.left:
            changes |= {self.session: "", self.seen: 0, self.shown: ""}
        if update.view is not None:
            changes |= {self.session: update.view.session_id, self.seen: update.view.seen}
            if update.load_code:
                changes[self.shown] = update.view.question_id
        return changes

    def facts(self) -> Changes:
        """Who is at work, and what is still loading."""
        state = self._parts.loading.state()
        return {
            self.line: words.facts_line(self._parts.facts()),
            self.loading: words.loading_line(state),
            self.timer: gr.Timer(active=not state.complete),
        }

    def wire(self, wiring: Wiring) -> None:
        """Opening the page, its link, and what is told while things load."""

        def opened(request: gr.Request) -> Iterator[Changes]:
            self._parts.loading.begin()
            link = str(request.query_params.get("session") or "")
            yield from map(wiring.translate, wiring.handlers.open(link))

        wiring.blocks.load(opened, [], wiring.outputs, **PRIVATE)
        self.session.change(None, self.session, None, js="(id) => window.vivaLink(id)", **PRIVATE)
