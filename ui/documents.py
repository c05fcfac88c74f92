"""Your documents: bring one, see the draft questions made of it, drop some, and practise with the rest.

`drafts_html` and `passages_html` are pure, for whoever shows them elsewhere. All text of a document is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from domain import Mode, Passage, Plan, Question
from ui.handlers import Update
from ui.parts import Parts
from ui.render import Screen, View
from ui.text import html
from ui.wiring import Changes, Plain, Wiring

ENDINGS = [".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".docx", ".ipynb"]
MOST_FILES = 5  # of one upload
AT_ONCE = 3  # uploads read at a time
LONGEST_SHOWN = 1_200  # characters of an answer
_INTRO = """<h2>Or from your own documents</h2><p class="viva-small">Notes or a list of questions with answers: txt, md,
html, pdf, docx, ipynb, up to 6 MB. Viva drafts a rubric from the answers, and you practise with it at once. Drafts stay
with this interview alone and go with it.</p>"""
_KEEP = "Asked about (untick what to leave out)"
START = "Practise with these"
_NOTHING_YET = (
    """<p class="viva-small">Prose of documents that you bring to an interview stands here while you hold it.</p>"""
)
_MODEL_ANSWER = "The document's answer"


def drafts_html(drafts: Sequence[Question]) -> str:
    """The drafts, each with its points, the passage that each came from, and the document's answer. Text escaped."""
    if not drafts:
        return ""
    documents = ", ".join(dict.fromkeys(draft.draft for draft in drafts))
    count = "1 draft question" if len(drafts) == 1 else f"{len(drafts)} draft questions"
    return (
        f'<section aria-label="Draft questions"><p><b>{count}</b> from {html(documents)}. A draft rubric is made by a '
        "program and reviewed by nobody: it knows what your document says, and not whether that is true.</p>"
        f"{''.join(map(_draft, drafts))}</section>"
    )


def _draft(draft: Question) -> str:
    points = "".join(
        f"<li><span>{html(point.says)}{_passage(point.says, point.passage)}</span></li>" for point in draft.points
    )
    answer = draft.model_answer + (f"\n\n{draft.model_code}" if draft.model_code else "")
    cut = f"{answer[:LONGEST_SHOWN]} …" if len(answer) > LONGEST_SHOWN else answer
    ask = f"<p>{html(draft.ask)}</p>" if draft.ask.strip() != draft.title.strip() else ""
    count = "1 point" if len(draft.points) == 1 else f"{len(draft.points)} points"
    tags = f"{draft.level.value}, {draft.kind.value}, {count}"
    return (
        f'<details class="viva-earlier"><summary>{html(draft.title)} <small>({html(tags)})</small></summary>'
        f'<div class="viva-question">{ask}<ol class="viva-draft-points">{points}</ol>'
        f"<p><b>{_MODEL_ANSWER}</b></p><pre>{html(cut)}</pre></div></details>"
    )


def _passage(says: str, passage: str) -> str:
    if not passage or passage == says:
        return "<br><small>Word for word from the document.</small>"
    return f"<br><small>From: <q>{html(passage)}</q></small>"


def passages_html(passages: Sequence[Passage]) -> str:
    """The prose of somebody's documents, as passages to read. Text escaped; "" where there is none."""
    if not passages:
        return ""
    count = "1 passage" if len(passages) == 1 else f"{len(passages)} passages"
    rows = "".join(
        f"<li><b>{html(item.title)}</b> <small>{html(item.document)}</small><br>{html(item.text)}</li>"
        for item in passages
    )
    return (
        f'<details class="viva-earlier viva-passages"><summary>{count} of prose from your documents</summary>'
        f'<div class="viva-question"><ul>{rows}</ul></div></details>'
    )


def choices(drafts: Sequence[Question]) -> list[tuple[str, str]]:
    """The drafts as (title, id), titles told apart."""
    return [(f"{number}. {draft.title}", draft.id) for number, draft in enumerate(drafts, start=1)]


class DocumentsPanel(Plain):
    """The card on the setup page, made in the column it stands in. `questions` is how many the form asks for."""

    def __init__(self, parts: Parts, questions: gr.Radio) -> None:
        self._parts = parts
        self._questions = questions
        writer = parts.facts().provider
        with gr.Column(elem_classes="viva-card", elem_id="own-documents"):
            gr.HTML(_INTRO, padding=False)
            self.agreed = gr.Checkbox(
                False, label=self._agreement(writer), visible=bool(writer), elem_id="agreed", container=False,
            )  # fmt: skip
            self.upload = gr.UploadButton(
                "Bring documents", file_types=ENDINGS, file_count="multiple", type="filepath", elem_id="bring",
            )  # fmt: skip
            with gr.Column(visible=False, elem_id="drafts") as self.made:
                self.list = gr.HTML("", padding=False, elem_id="viva-drafts")
                self.keep = gr.CheckboxGroup([], label=_KEEP, elem_id="keep")
                self.start = gr.Button(START, variant="primary", elem_id="start-drafts")
            self.passages = gr.HTML("", padding=False, elem_id="viva-own-passages")

    @staticmethod
    def _agreement(writer: str) -> str:
        return f"Send their text to the language model {writer}, which writes better rubrics"

    def outputs(self) -> list[Any]:
        """The components that an update may change."""
        return [self.made, self.list, self.keep, self.passages]

    def changes(self, update: Update) -> Changes:
        """The drafts of a session that has not begun. What was unticked stays so until the drafts change."""
        if update.view is None or update.view.screen is not Screen.SETUP:
            return {}
        return self._shown(update.view)

    def _shown(self, shown: View) -> Changes:
        return {
            self.made: gr.update(visible=bool(shown.drafts)),
            self.list: drafts_html(shown.drafts),
            self.keep: gr.update(choices=choices(shown.drafts), value=[draft.id for draft in shown.drafts]),
            self.passages: passages_html(shown.passages),
        }

    def facts(self) -> Changes:
        """Whether a language model could write."""
        writer = self._parts.facts().provider
        return {self.agreed: gr.update(visible=bool(writer), label=self._agreement(writer))}

    def wire(self, wiring: Wiring) -> None:
        """Bring documents, and start with what is kept of them."""
        h = wiring.handlers

        def brought(session_id: str, paths: list[str] | None, agreed: bool) -> Iterator[Update]:
            yield from h.upload(session_id, (paths or [])[:MOST_FILES], agreed=bool(agreed))

        def started(session_id: str, kept: list[str] | None, questions: float, profile: str) -> Iterator[Update]:
            ids = [str(name) for name in kept or []]
            if not ids:
                yield Update(notice="Tick at least one question to be asked about.")
                return
            plan = Plan(questions=max(1, min(10, len(ids), int(questions))), mode=Mode.PRACTICE, drafts=True)
            yield from h.start_with_drafts(session_id, ids, plan, profile)

        # Reading may take a while: a few at a time leave the page's other workers to interviews.
        wiring.on(self.upload.upload, brought, [wiring.session, self.upload, self.agreed], concurrency_limit=AT_ONCE)
        wiring.on(self.start.click, started, [wiring.session, self.keep, self._questions, wiring.profile])


class OwnPassages(Plain):
    """The prose of the interview's own documents, to read: for the Library tab. Made in the column it stands in."""

    def __init__(self) -> None:
        self.passages = gr.HTML(_NOTHING_YET, padding=False, elem_id="library-passages")

    def outputs(self) -> list[Any]:
        """The component that an update may change."""
        return [self.passages]

    def changes(self, update: Update) -> Changes:
        """The passages of the interview at hand."""
        return {self.passages: passages_html(update.view.passages) or _NOTHING_YET} if update.view else {}
