"""The page: where things stand, and which handler each control calls. Looks are in ui/assets/viva.css."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from domain import Framework, Level, Mode
from ui import words
from ui.handlers import Handlers, Update, plan_from
from ui.parts import Parts
from ui.render import Screen, View

MATHS = [
    {"left": "$$", "right": "$$", "display": True},
    {"left": "\\[", "right": "\\]", "display": True},
    {"left": "\\(", "right": "\\)", "display": False},
    {"left": "$", "right": "$", "display": False},
]
UPLOADS_KEPT = (600, 600)  # look every 10 minutes, delete what was uploaded 10 minutes ago
ANSWER_LIMIT = 120_000  # characters; the service says what is too long, this only bounds what the browser sends
_PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
Changes = dict[Any, Any]


class Page:
    """Builds the Blocks and translates updates into component changes. `blocks` is what gets launched."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._handlers = Handlers(parts)
        with gr.Blocks(
            title="Viva, mock interviews", analytics_enabled=False, fill_width=True, delete_cache=UPLOADS_KEPT
        ) as self.blocks:
            self._frame()
            self._report()
            self._room()
            self._setup()
            self._about()
            self._wire()
        self.blocks.queue(default_concurrency_limit=24, max_size=200)

    def _frame(self) -> None:
        gr.HTML(words.TOP, elem_id="viva-top", padding=False)
        self.facts = gr.HTML(words.facts_line(self._parts.facts()), elem_id="viva-facts", padding=False)
        self.loading = gr.HTML(words.loading_line(self._parts.loading.state()), elem_id="viva-loading", padding=False)
        self.notice = gr.HTML("", elem_id="viva-notice", padding=False)
        self.session = gr.Textbox("", visible="hidden", elem_id="session", label="session")
        self.seen = gr.Number(0, visible="hidden", elem_id="seen", label="seen")
        self.shown = gr.Textbox("", visible="hidden", elem_id="shown", label="shown")
        self.timer = gr.Timer(1.0)

    def _setup(self) -> None:
        with gr.Column(elem_id="setup") as self.setup:
            gr.HTML(words.HERO, padding=False)
            with gr.Row(elem_id="setup-columns"):
                with gr.Column(elem_classes="viva-card", scale=3, min_width=320):
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
                            [("Practice", Mode.PRACTICE.value), ("Exam", Mode.EXAM.value)],
                            value=Mode.PRACTICE.value, label="Mode", elem_classes="viva-choice", elem_id="mode",
                            min_width=240,
                        )  # fmt: skip
                    self.topics = gr.Dropdown(
                        self._topics(), value=[], multiselect=True, label="Topics (none chosen: all of them)",
                        elem_id="topics",
                    )  # fmt: skip
                    self.start = gr.Button("Start interview", variant="primary", elem_id="start")
                    gr.HTML(words.MODES, padding=False)
                with gr.Column(elem_id="setup-side", scale=2, min_width=300):
                    with gr.Column(elem_classes="viva-card"):
                        self.words = gr.Textbox(
                            label="Or say it in your own words", lines=3, max_lines=6, max_length=2000,
                            placeholder="My gradients explode and I do not know why. Two questions, PyTorch.",
                            elem_id="words",
                        )  # fmt: skip
                        self.start_words = gr.Button("Start from this", elem_id="start-words")
                    with gr.Column(elem_classes="viva-card"):
                        gr.HTML(words.HOW, padding=False)
                        self.upload = gr.UploadButton(
                            "Continue from an exported session", file_types=[".json"], type="binary", elem_id="import",
                        )  # fmt: skip

    def _room(self) -> None:
        with gr.Row(elem_id="room", visible=False) as self.room:
            with gr.Column(elem_id="talk", scale=3):
                self.progress = gr.HTML("", padding=False, elem_id="viva-progress")
                self.chat = gr.Chatbot(
                    [], show_label=False, label="Interview", elem_id="chat", layout="bubble", latex_delimiters=MATHS,
                    buttons=[], sanitize_html=True, allow_tags=False, group_consecutive_messages=False,
                    height=520, autoscroll=False, feedback_options=None, line_breaks=False,
                    allow_file_downloads=False,
                )  # fmt: skip
                self.status = gr.HTML("", padding=False, elem_id="viva-status")
                with gr.Column(elem_id="composer") as self.composer:
                    self.answer = gr.Textbox(
                        show_label=False, label="Your answer",
                        placeholder="Answer in your own words. Markdown and code are fine, Ctrl + Enter sends.",
                        lines=2, max_lines=14, elem_id="answer", max_length=ANSWER_LIMIT,
                    )  # fmt: skip
                    with gr.Row(elem_classes="viva-actions"):
                        self.send = gr.Button(words.SEND, variant="primary", elem_id="send")
                        self.hint = gr.Button(words.HINT, elem_id="hint")
                        self.skip = gr.Button(words.SKIP, elem_id="skip")
                        self.finish = gr.Button(words.NEXT, elem_id="finish")
                        self.end = gr.Button(words.END, variant="stop", elem_id="end", elem_classes="viva-push")
                    with gr.Row(elem_classes="viva-actions", visible=False, elem_id="ending") as self.ending:
                        gr.HTML("<span>End now and see the report?</span>", padding=False)
                        self.stop = gr.Button("Yes, end it", variant="primary", elem_id="stop")
                        self.stay = gr.Button("Keep going", elem_id="stay")
            with gr.Column(elem_id="bench", scale=2):
                self.card = gr.HTML("", padding=False, elem_id="viva-card")
                with gr.Accordion("The question again", open=False, elem_id="again", visible=False) as self.again:
                    self.ask = gr.Markdown("", latex_delimiters=MATHS, sanitize_html=True)
                with gr.Column(visible=False, elem_id="workbench") as self.bench:
                    self.code = gr.Code(
                        "", language="python", lines=12, max_lines=28, label="Your code", interactive=True,
                        elem_id="editor", show_label=True, wrap_lines=True,
                    )  # fmt: skip
                    with gr.Row(elem_classes="viva-actions"):
                        self.submit = gr.Button(words.SUBMIT, variant="primary", elem_id="submit-code")
                        gr.HTML(words.EDITOR_KEYS, padding=False)
                self.results = gr.HTML("", padding=False, elem_id="viva-results")

    def _report(self) -> None:
        with gr.Column(visible=False, elem_id="report") as self.report:
            self.report_head = gr.HTML("", padding=False)
            self.report_frame = gr.HTML("", padding=False)

    def _about(self) -> None:
        with gr.Accordion("About: who judges, where code runs, what is stored", open=False, elem_id="about"):
            self.about = gr.HTML(words.about(self._parts.facts()), padding=False)
        gr.HTML(words.FOOT, padding=False)

    def _wire(self) -> None:
        h = self._handlers
        at = [self.session, self.seen, self.shown]
        form = [self.framework, self.level, self.topics, self.questions, self.mode]

        def opened(request: gr.Request) -> Iterator[Changes]:
            self._parts.loading.begin()
            yield from map(self._changes, h.open(str(request.query_params.get("session") or "")))

        def started(session_id: str, *values: Any) -> Iterator[Changes]:
            yield from map(self._changes, h.start(session_id, plan_from(*values)))

        self._on(self.blocks.load, opened, [])
        self._on(self.start.click, started, [self.session, *form])
        self._on(self.start_words.click, self._through(h.start_in_words), [self.session, self.words])
        self._on(self.send.click, self._through(h.say), [*at, self.answer])
        self._on(self.submit.click, self._through(h.submit), [*at, self.code])
        self._on(self.hint.click, self._through(h.hint), at)
        self._on(self.skip.click, self._through(h.skip), at)
        self._on(self.finish.click, self._through(h.finish), at)
        self._on(self.stop.click, self._through(h.stop), [self.session, self.shown])
        self._on(self.upload.upload, self._through(h.import_session), [self.upload])
        self.end.click(lambda: gr.update(visible=True), None, self.ending, **_PRIVATE)
        self.stay.click(lambda: gr.update(visible=False), None, self.ending, **_PRIVATE)
        self.session.change(None, self.session, None, js="(id) => window.vivaLink(id)", **_PRIVATE)
        self.timer.tick(self._tick, None, [self.facts, self.loading, self.about, self.topics, self.timer], **_PRIVATE)

    def _on(self, event: Callable[..., Any], handler: Callable[..., Iterator[Changes]], inputs: list[Any]) -> None:
        event(handler, inputs, self._outputs(), **_PRIVATE)

    def _through(self, handler: Callable[..., Iterator[Update]]) -> Callable[..., Iterator[Changes]]:
        def run(*values: Any) -> Iterator[Changes]:
            yield from map(self._changes, handler(*values))

        return run

    def _outputs(self) -> list[Any]:
        return [
            self.notice, self.session, self.seen, self.shown, self.setup, self.room, self.report, self.progress,
            self.chat, self.status, self.answer, self.words, self.send, self.hint, self.skip, self.finish, self.end,
            self.ending, self.composer, self.again, self.ask, self.card, self.bench, self.code, self.submit,
            self.results, self.report_head, self.report_frame,
        ]  # fmt: skip

    def _topics(self) -> list[tuple[str, str]]:
        return [(topic.replace("_", " ").capitalize(), topic) for topic in self._parts.facts().topics]

    def _tick(self) -> tuple[Any, ...]:
        facts, state = self._parts.facts(), self._parts.loading.state()
        over = state.complete
        return (
            words.facts_line(facts),
            words.loading_line(state),
            words.about(facts),
            gr.update(choices=self._topics()),
            gr.Timer(active=not over),
        )

    def _changes(self, update: Update) -> Changes:
        changes: Changes = {}
        if update.notice is not None:
            changes[self.notice] = words.notice(update.notice, bad=update.bad)
        if update.view is not None:
            changes |= self._shown(update.view)
            if update.load_code:
                changes |= {self.code: update.view.code, self.shown: update.view.question_id}
        changes |= {box: "" for name, box in (("answer", self.answer), ("words", self.words)) if name in update.clear}
        return changes or {self.notice: gr.update()}

    def _shown(self, shown: View) -> Changes:
        def may(name: str, label: str) -> Any:
            # The label goes along, because Gradio drops a button's text in a partial update of a streamed result.
            return gr.update(value=label, interactive=name in shown.actions)

        changes: Changes = {
            self.session: shown.session_id,
            self.seen: shown.seen,
            self.setup: gr.update(visible=shown.screen is Screen.SETUP),
            self.room: gr.update(visible=True),
            self.progress: shown.progress,
            self.chat: shown.messages,
            self.status: shown.status,
            self.card: shown.card,
            self.again: gr.update(visible=bool(shown.ask)),
            self.ask: shown.ask,
            self.bench: gr.update(visible=shown.wants_code),
            self.results: shown.results,
            self.send: may("answer", words.SEND),
            self.submit: may("submit", words.SUBMIT),
            self.hint: may("hint", words.HINT),
            self.skip: may("skip", words.SKIP),
            self.finish: may("finish", words.FINISH if shown.last_question else words.NEXT),
            self.end: may("stop", words.END),
            self.ending: gr.update(visible=False),
            self.composer: gr.update(visible=shown.screen is not Screen.ENDED),
            self.report: gr.update(visible=shown.screen is Screen.ENDED),
        }
        if shown.screen is Screen.ENDED:
            changes |= self._reported(shown.session_id)
        return changes

    def _reported(self, session_id: str) -> Changes:
        document = self._parts.reports["html"](self._parts.service().session(session_id)).content.decode()
        off = {name: why for name, tell in self._parts.reports_off.items() if (why := tell())}
        return {
            self.report_head: words.report_head(session_id, list(self._parts.reports), off),
            self.report_frame: words.frame(document),
        }
