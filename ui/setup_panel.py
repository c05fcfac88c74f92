"""What to practise: one short form with good defaults, the same in free words, and a session from a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from domain import Framework, Level, Mode
from ui import words
from ui.handlers import Update, plan_from
from ui.parts import Parts
from ui.progress import drill_line
from ui.render import Screen
from ui.wiring import Changes, Wiring


class SetupPanel:
    """The form. `form` are the inputs of `plan_from`, in its order; `side` is the column for other ways to begin."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        with gr.Column(elem_id="setup") as self.setup:
            gr.HTML(words.HERO, padding=False)
            with gr.Row(elem_id="setup-columns"):
                with gr.Column(elem_classes="viva-card", scale=3, min_width=320):
                    self._form()
                with gr.Column(elem_id="setup-side", scale=2, min_width=300) as self.side:
                    self._other_ways()

    def _form(self) -> None:
        self.framework = gr.Radio(
            [("PyTorch", "pytorch"), ("TensorFlow", "tensorflow"), ("Both", "both")],
            value=Framework.BOTH.value, label="Framework", elem_classes="viva-choice", elem_id="framework",
        )  # fmt: skip
        self.level = gr.Radio(
            [("Any", "any"), *((level.value.capitalize(), level.value) for level in Level)],
            value="any", label="Level", elem_classes="viva-choice", elem_id="level",
        )  # fmt: skip
        with gr.Row():
            self.questions = gr.Radio(
                [("1", 1), ("2", 2), ("3", 3), ("5", 5), ("8", 8)],
                value=3, label="Questions", elem_classes="viva-choice", elem_id="questions", min_width=240,
            )  # fmt: skip
            self.mode = gr.Radio(
                [("Practice", Mode.PRACTICE.value), ("Exam", Mode.EXAM.value), ("Drill", Mode.DRILL.value)],
                value=Mode.PRACTICE.value, label="Mode", elem_classes="viva-choice", elem_id="mode", min_width=240,
            )  # fmt: skip
        self.topics = gr.Dropdown(
            self._topics(), value=[], multiselect=True, label="Topics (none chosen: all of them)", elem_id="topics",
        )  # fmt: skip
        self.start = gr.Button("Start interview", variant="primary", elem_id="start")
        gr.HTML(words.MODES, padding=False)
        self.drill = gr.HTML(drill_line(None, 0.0), padding=False)

    def _other_ways(self) -> None:
        with gr.Column(elem_classes="viva-card"):
            self.words = gr.Textbox(
                label="Or say it in your own words", lines=3, max_lines=6, max_length=2000,
                placeholder="My gradients explode and I do not know why. Two questions, PyTorch.", elem_id="words",
            )  # fmt: skip
            self.start_words = gr.Button("Start from this", elem_id="start-words")
        with gr.Column(elem_classes="viva-card"):
            gr.HTML(words.HOW, padding=False)
            self.upload = gr.UploadButton(
                "Continue from an exported session", file_types=[".json"], type="binary", elem_id="import",
            )  # fmt: skip

    @property
    def form(self) -> list[Any]:
        """The inputs of `plan_from`."""
        return [self.framework, self.level, self.topics, self.questions, self.mode]

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.setup, self.words]

    def changes(self, update: Update) -> Changes:
        """The form goes once an interview is under way."""
        changes: Changes = {self.words: ""} if "words" in update.clear else {}
        if update.left:
            changes[self.setup] = gr.update(visible=True)
        if update.view is not None:
            changes[self.setup] = gr.update(visible=update.view.screen is Screen.SETUP)
        return changes

    def facts(self) -> Changes:
        """The topics are known once the bank is read."""
        return {self.topics: gr.update(choices=self._topics())}

    def wire(self, wiring: Wiring) -> None:
        """Three ways to begin."""
        h = wiring.handlers

        def started(session_id: str, profile: str, *values: Any) -> Iterator[Update]:
            yield from h.start(session_id, plan_from(*values), profile)

        wiring.on(self.start.click, started, [wiring.session, wiring.profile, *self.form])
        wiring.on(self.start_words.click, h.start_in_words, [wiring.session, self.words, wiring.profile])
        wiring.on(self.upload.upload, h.import_session, [self.upload])

    def _topics(self) -> list[tuple[str, str]]:
        return [(topic.replace("_", " ").capitalize(), topic) for topic in self._parts.facts().topics]
