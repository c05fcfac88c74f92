"""The control for disputing a verdict: beside the chat while the interview goes on, above the report at its end."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui import words
from ui.handlers import Update
from ui.render import Screen
from ui.wiring import Changes, Plain, Wiring

MOST_CHARACTERS = 500  # what is kept of a reason


class DisputePanel(Plain):
    """Which verdict, why, and both looks side by side. Made in the column it stands in; `screen` is when it shows."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        name = f"dispute-{screen.value}"
        with gr.Accordion(
            words.DISPUTE, open=False, visible=False, elem_id=name, elem_classes="viva-dispute"
        ) as self.box:
            with gr.Column() as self.form:
                self.point = gr.Radio([], label="Which one?", elem_id=f"{name}-point", elem_classes="viva-rows")
                self.why = gr.Textbox(
                    label="Why? (may stay empty)", lines=1, max_lines=4, max_length=MOST_CHARACTERS,
                    elem_id=f"{name}-why",
                )  # fmt: skip
                self.again = gr.Button(words.LOOK_AGAIN, elem_id=f"{name}-again", size="md")
            self.looks = gr.HTML("", padding=False, elem_id=f"{name}-told")

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.box, self.form, self.point, self.why, self.again, self.looks]

    def changes(self, update: Update) -> Changes:
        """The verdicts that may be disputed now, and those that were."""
        if update.left:
            return {self.box: gr.update(visible=False)}
        if update.view is None:
            return {}
        shown = update.view
        here = shown.screen is self._screen and bool(shown.disputable or shown.disputes)
        changes: Changes = {
            self.box: gr.update(label=words.DISPUTE, visible=here),
            self.form: gr.update(visible=bool(shown.disputable)),
            self.point: gr.update(choices=list(shown.disputable), value=None),
            self.again: gr.update(value=words.LOOK_AGAIN),
            self.looks: shown.disputes,
        }
        if "dispute" in update.clear:
            changes[self.why] = ""
        return changes

    def wire(self, wiring: Wiring) -> None:
        """The second look is asked for."""
        wiring.on(self.again.click, wiring.handlers.dispute, [wiring.session, wiring.shown, self.point, self.why])
