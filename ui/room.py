"""The interview itself: the chat with its composer, and the bench with the question, the editor and the results."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui import words
from ui.dispute_panel import DisputePanel
from ui.handlers import Update
from ui.render import Screen, View, working
from ui.speech_panel import SpeechPanel
from ui.wiring import PRIVATE, Changes, Plain, Wiring

MATHS = [
    {"left": "$$", "right": "$$", "display": True},
    {"left": "\\[", "right": "\\]", "display": True},
    {"left": "\\(", "right": "\\)", "display": False},
    {"left": "$", "right": "$", "display": False},
]
ANSWER_LIMIT = 120_000  # characters; the service says what is too long, this only bounds what the browser sends


class Room(Plain):
    """Chat and bench. `answer` is the box that words go into, `composer` the column around it and its buttons."""

    def __init__(self) -> None:
        with gr.Row(elem_id="room", visible=False) as self.room:
            with gr.Column(elem_id="talk", scale=3):
                self._talk()
            with gr.Column(elem_id="bench", scale=2):
                self._bench()

    def _talk(self) -> None:
        self.progress = gr.HTML("", padding=False, elem_id="viva-progress")
        self.chat = gr.Chatbot(
            [], show_label=False, label="Interview", elem_id="chat", layout="bubble", latex_delimiters=MATHS,
            buttons=[], sanitize_html=True, allow_tags=False, group_consecutive_messages=False,
            height=520, autoscroll=False, feedback_options=None, line_breaks=False,
            allow_file_downloads=False,
        )  # fmt: skip
        with gr.Row(elem_id="viva-at-work"):
            self.status = gr.HTML("", padding=False, elem_id="viva-status")
            self.cancel = gr.Button(words.CANCEL, elem_id="cancel", visible=False, size="sm", scale=0, min_width=90)
        with gr.Column(elem_id="consent", visible=False) as self.consent:
            self.consent_words = gr.HTML("", padding=False)
            with gr.Row(elem_classes="viva-actions"):
                self.agree = gr.Button(words.AGREE, variant="primary", elem_id="agree")
                self.refuse = gr.Button(words.REFUSE, elem_id="refuse")
        with gr.Column(elem_id="composer") as self.composer:
            self.answer = gr.Textbox(
                show_label=False, label="Your answer",
                placeholder="Answer in your own words. Markdown and code are fine, Ctrl + Enter sends.",
                lines=2, max_lines=14, elem_id="answer", max_length=ANSWER_LIMIT,
            )  # fmt: skip
            self.speech = SpeechPanel()
            with gr.Row(elem_classes="viva-actions"):
                self.send = gr.Button(words.SEND, variant="primary", elem_id="send")
                self.speech.record()
                self.hint = gr.Button(words.HINT, elem_id="hint")
                self.skip = gr.Button(words.SKIP, elem_id="skip")
                self.finish = gr.Button(words.NEXT, elem_id="finish")
                self.pause = gr.Button(words.PAUSE, elem_id="pause")
                self.resume = gr.Button(words.RESUME, variant="primary", elem_id="resume", visible=False)
                self.expire = gr.Button("Time is up", visible="hidden", elem_id="expire")
                self.end = gr.Button(words.END, variant="stop", elem_id="end", elem_classes="viva-push")
            self.speech.choices()
            with gr.Row(elem_classes="viva-actions", visible=False, elem_id="ending") as self.ending:
                gr.HTML("<span>End now and see the report?</span>", padding=False)
                self.stop = gr.Button("Yes, end it", variant="primary", elem_id="stop")
                self.stay = gr.Button("Keep going", elem_id="stay")

    def _bench(self) -> None:
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
                self.trial = gr.Button(words.TRY, elem_id="try-code")
                gr.HTML(words.EDITOR_KEYS, padding=False)
        self.tried = gr.HTML("", padding=False, elem_id="viva-tried")
        self.results = gr.HTML("", padding=False, elem_id="viva-results")
        self.dispute = DisputePanel(Screen.INTERVIEW)

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [
            self.room, self.progress, self.chat, self.status, self.answer, self.send, self.hint, self.skip,
            self.finish, self.end, self.ending, self.composer, self.again, self.ask, self.card, self.bench, self.code,
            self.submit, self.trial, self.tried, self.results, self.cancel, self.pause, self.resume, self.consent,
            self.consent_words,
            self.speech.spoken,
        ]  # fmt: skip

    def changes(self, update: Update) -> Changes:
        """The chat, what may be done now, and the bench."""
        changes: Changes = {self.answer: ""} if "answer" in update.clear else {}
        if update.left:
            changes[self.room] = gr.update(visible=False)
        if update.working:
            off = gr.update(interactive=False)
            changes |= {self.status: working(update.working), self.cancel: gr.update(value=words.CANCEL, visible=True)}
            changes |= {self.trial: gr.update(value=words.TRY, interactive=False), self.submit: off, self.tried: ""}
        changes |= self.speech.changes(update)
        if update.view is not None:
            changes |= self._shown(update.view)
            if update.load_code:
                changes |= {self.code: update.view.code, self.tried: ""}
            if update.view.actions.isdisjoint({"try"}):
                changes[self.tried] = ""
        if update.trial is not None:
            changes[self.tried] = update.trial
        return changes

    def _shown(self, shown: View) -> Changes:
        def may(name: str, label: str) -> Any:
            # The label goes along, because Gradio drops a button's text in a partial update of a streamed result.
            return gr.update(value=label, interactive=name in shown.actions)

        return {
            self.room: gr.update(visible=shown.screen is not Screen.SETUP or len(shown.messages) > 1),
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
            self.trial: may("try", words.TRY),
            self.cancel: gr.update(value=words.CANCEL, visible="cancel" in shown.actions),
            self.consent: gr.update(visible=bool(shown.provider)),
            self.consent_words: words.consent(shown.provider),
            self.hint: may("hint", words.HINT),
            self.skip: may("skip", words.SKIP),
            self.finish: may("finish", words.FINISH if shown.last_question else words.NEXT),
            self.end: may("stop", words.END),
            self.pause: gr.update(value=words.PAUSE, visible="pause" in shown.actions),
            self.resume: gr.update(value=words.RESUME, visible="resume" in shown.actions),
            self.ending: gr.update(visible=False),
            self.composer: gr.update(visible=shown.screen is not Screen.ENDED),
        }

    def wire(self, wiring: Wiring) -> None:
        """What a candidate can do."""
        h, at = wiring.handlers, wiring.at
        wiring.on(self.send.click, h.say, [*at, self.answer, self.speech.spoken, wiring.profile])
        wiring.on(self.submit.click, h.submit, [*at, self.code])
        wiring.on(self.trial.click, h.try_code, [wiring.session, wiring.shown, self.code])
        wiring.on(self.pause.click, h.pause, at)
        wiring.on(self.resume.click, h.resume, [wiring.session, wiring.shown])
        wiring.on(self.expire.click, h.expire, [wiring.session, wiring.shown])
        wiring.on(self.cancel.click, h.cancel, [wiring.session])
        wiring.on(
            self.agree.click, lambda session, shown: h.consent(session, shown, True), [wiring.session, wiring.shown]
        )
        wiring.on(
            self.refuse.click, lambda session, shown: h.consent(session, shown, False), [wiring.session, wiring.shown]
        )
        wiring.on(self.hint.click, h.hint, at)
        wiring.on(self.skip.click, h.skip, at)
        wiring.on(self.finish.click, h.finish, at)
        wiring.on(self.stop.click, h.stop, [wiring.session, wiring.shown])
        self.end.click(lambda: gr.update(visible=True), None, self.ending, **PRIVATE)
        self.stay.click(lambda: gr.update(visible=False), None, self.ending, **PRIVATE)
