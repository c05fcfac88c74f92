"""From somebody's document to draft questions and passages: reading, drafting, and cutting the rest. Nothing is stored.

Drafts belong to the session that they were made for. They never enter the bank or its index; see `knowledge.publish`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from domain import Ingested, Passage
from knowledge.documents import Document, read_document, read_file
from knowledge.drafts import draft
from knowledge.pairs import is_promotion
from knowledge.words import words

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

MOST_PASSAGES = 100  # of one document
LEAST_PASSAGE = 8  # content words


class DocumentIngester:
    """domain.Ingester. `model` gives the chat model that can write rubrics, or None; `writer` is what it is called."""

    def __init__(self, model: Callable[[], BaseChatModel | None] = lambda: None, writer: str = "") -> None:
        self._model = model
        self._writer = writer

    @property
    def writer(self) -> str:
        """The language model that can write rubrics, or ""."""
        return self._writer

    def ingest(self, name: str, data: bytes, agreed: bool = False) -> Ingested:
        """Read a document and draft its questions. Raises UserError with what is wrong with the document."""
        return self._made(read_document(name, data), agreed)

    def ingest_file(self, path: Path, agreed: bool = False) -> Ingested:
        """The same from a file of this machine."""
        return self._made(read_file(path), agreed)

    def _made(self, document: Document, agreed: bool) -> Ingested:
        questions, notices = draft(document.pairs, document.name)
        model = self._model() if agreed and questions else None
        if model is not None:
            from knowledge.llm_drafts import rewrite

            questions, trouble = rewrite(model, questions)
            notices += trouble
        found = passages(document.rest, document.name)
        if not questions:
            notices.append(_NONE if found else f"{_NONE} There is no prose to keep either.")
        return Ingested(document.name, tuple(questions), tuple(found), (*document.notices, *notices))


_NONE = (
    "No question with an answer was found. Known are “Q:” and “A:”, headings, bold or numbered lines that ask, "
    "collapsible details, and tables with the columns question and answer."
)


def passages(rest: str, document: str) -> list[Passage]:
    """The prose of a document in passages, each with its heading path."""
    from knowledge.library import read_note

    text = "\n".join(line for line in rest.splitlines() if not is_promotion(line))
    notes = (note for note in read_note(text, document) if len(words(note.text)) >= LEAST_PASSAGE)
    return [Passage(document, note.title, note.text) for note, _ in zip(notes, range(MOST_PASSAGES), strict=False)]
