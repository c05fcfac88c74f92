"""Keep my progress: a profile under a private link, made, shown, exported and deleted in the History tab.

The secret lives in this browser's storage (ui/assets/profile.js) and in the link; the server keeps only its hash.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator

import gradio as gr

from domain import UserError
from interview.profile import UnknownProfileError
from ui import words
from ui.handlers import FAULT, SESSION_ID, Update
from ui.parts import Interviews, Parts
from ui.progress import drill_line, progress_html
from ui.wiring import PRIVATE, Changes, Plain, Wiring

log = logging.getLogger("viva")


class ProfilePanel(Plain):
    """Made in the column it stands in. `drill` is the line of the form that says what there is to drill."""

    def __init__(self, parts: Parts, drill: gr.HTML) -> None:
        self._parts = parts
        self._drill = drill
        with gr.Column(elem_id="profile", elem_classes="viva-card"):
            with gr.Column(elem_id="profile-offered"):
                gr.HTML(words.PROFILE_OFFERED, padding=False)
                with gr.Row(elem_classes="viva-actions"):
                    self.take = gr.Button("Use it in this browser", variant="primary", elem_id="profile-take")
            with gr.Column() as self.off:
                gr.HTML(words.PROFILE, padding=False)
                self.name = gr.Textbox(label="A name for it (may stay empty)", max_length=60, elem_id="profile-name")
                with gr.Row(elem_classes="viva-actions"):
                    self.keep = gr.Button("Keep my progress", variant="primary", elem_id="profile-keep")
            with gr.Column(visible=False, elem_id="profile-new") as self.new:
                self.link = gr.Textbox(label="Your private link", interactive=False, elem_id="profile-link")
                gr.HTML(words.PROFILE_LINK, padding=False)
            with gr.Column(visible=False, elem_id="profile-on") as self.on:
                self.shown = gr.HTML("", padding=False)
                with gr.Row(elem_classes="viva-actions"):
                    self.export = gr.Button("Export everything", elem_id="profile-export")
                    self.leave = gr.Button("Forget it in this browser", elem_id="profile-leave")
                    self.delete = gr.Button("Delete everything", variant="stop", elem_id="profile-delete")
                with gr.Row(elem_classes="viva-actions", visible=False, elem_id="profile-sure") as self.sure:
                    gr.HTML("<span>The progress and all its interviews, for good?</span>", padding=False)
                    self.yes = gr.Button("Yes, delete all of it", variant="stop", elem_id="profile-yes")
                    self.no = gr.Button("Keep it", elem_id="profile-no")
            self.told = gr.HTML("", padding=False, elem_id="profile-told")
            self.file = gr.Textbox("", visible="hidden", elem_id="profile-file", label="file")
            self.refresh = gr.Button("Refresh", visible="hidden", elem_id="profile-refresh")

    def wire(self, wiring: Wiring) -> None:
        """Everything goes by the secret that this browser keeps."""
        secret = wiring.profile
        own = [secret, self.off, self.new, self.on, self.sure, self.shown, self.told, self._drill]

        def opened(kept: str) -> Iterator[Changes]:
            if not SESSION_ID.fullmatch(kept or ""):
                yield self._closed(secret)
                return
            yield {secret: kept}
            yield self._guarded(lambda service: self._opened(service, secret, kept), secret)

        def loaded(kept: str) -> Iterator[Changes]:
            yield {self.told: gr.update()}  # nothing kept is how the page begins; a slow answer must not undo a click
            if kept:
                yield from opened(kept)

        def made(name: str) -> Iterator[Changes]:
            def act(service: Interviews) -> Changes:
                kept = service.profiles.create(name or "")
                return self._opened(service, secret, kept) | {self.new: gr.update(visible=True)}

            yield {self.told: _line("One moment: it is being made.")}
            yield self._guarded(act, secret)

        def exported(kept: str) -> Changes:
            def act(service: Interviews) -> Changes:
                return {self.file: service.export_profile(kept).decode(), self.told: _line("The export is made.")}

            return {self.file: ""} | self._guarded(act, secret)

        def deleted(kept: str, session_id: str) -> Changes:
            def act(service: Interviews) -> Changes:
                gone = service.profiles.sessions(kept)
                service.delete_profile(kept)
                told = f"Deleted: the progress, and {len(gone)} interviews with all that was stored of them."
                page = wiring.translate(Update(notice=told, left=True)) if session_id in gone else {}
                return page | self._closed(secret, told)

            return self._guarded(act, secret)

        wiring.blocks.load(loaded, secret, own, js="() => window.vivaProfile.kept()", **PRIVATE)
        self.take.click(opened, secret, own, js="() => window.vivaProfile.take()", **PRIVATE)
        self.refresh.click(opened, secret, own, js="() => window.vivaProfile.kept()", **PRIVATE)
        self.leave.click(opened, secret, own, js="() => window.vivaProfile.leave()", **PRIVATE)
        secret.change(None, secret, None, js="(secret) => window.vivaProfile.keep(secret)", **PRIVATE)
        self.keep.click(made, self.name, own, **PRIVATE).then(
            None, secret, self.link, js="(secret) => window.vivaProfile.link(secret)", **PRIVATE
        )
        self.export.click(exported, secret, [*own, self.file], **PRIVATE).then(
            None, self.file, self.file, js="(text) => window.vivaProfile.save(text)", **PRIVATE
        )
        self.delete.click(lambda: gr.update(visible=True), None, self.sure, **PRIVATE)
        self.no.click(lambda: gr.update(visible=False), None, self.sure, **PRIVATE)
        self.yes.click(deleted, [secret, wiring.session], [*wiring.outputs, *own], **PRIVATE).then(
            None, None, None, js="() => window.vivaPrune()", **PRIVATE
        )

    def _opened(self, service: Interviews, secret: gr.Textbox, kept: str) -> Changes:
        profile, now = service.profile(kept), time.time()
        titles: dict[str, str] = {}
        for item in profile.interviews:
            try:
                session = service.session(item.session_id)
            except UserError:
                continue  # kept no longer; what it showed is
            titles |= {result.question.id: result.question.title for result in session.results}
        return {
            secret: kept,
            self.off: gr.update(visible=False),
            self.on: gr.update(visible=True),
            self.shown: progress_html(profile, titles, now),
            self._drill: drill_line(profile, now),
            self.told: "",
        }

    def _closed(self, secret: gr.Textbox, told: str = "") -> Changes:
        return {
            secret: "",
            self.off: gr.update(visible=True),
            self.new: gr.update(visible=False),
            self.on: gr.update(visible=False),
            self.sure: gr.update(visible=False),
            self.shown: "",
            self._drill: drill_line(None, 0.0),
            self.told: _line(told),
        }

    def _guarded(self, act: Callable[[Interviews], Changes], secret: gr.Textbox) -> Changes:
        try:
            return act(self._parts.service())
        except UnknownProfileError as error:
            return self._closed(secret, str(error))
        except UserError as error:
            return {self.told: _line(str(error))}
        except Exception:
            log.exception("a handler of the profile failed")
            return {self.told: _line(FAULT)}


def _line(text: str) -> str:
    return words.notice(text)
