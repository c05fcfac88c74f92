"""What a person may look up: the bank's questions without their rubrics, and the study notes, whole."""

from __future__ import annotations

from collections.abc import Sequence

from domain import Entry, Question
from knowledge.index import QuestionIndex
from knowledge.library import Note
from knowledge.questions import Bank


class Shelf:
    """Implements domain.Library. An entry of a question is what is asked, never a point, hint or model answer."""

    def __init__(self, bank: Bank, index: QuestionIndex, notes: Sequence[Note]) -> None:
        self._index = index
        self._notes: dict[str, list[Note]] = {}
        for note in notes:
            self._notes.setdefault(note.file, []).append(note)
        self._files = {note.id: note.file for note in notes}
        self._questions = bank.questions

    def search(self, query: str, k: int = 8) -> list[Entry]:
        """The entries that fit best, best first, each once. Without a query everything, notes first, by title."""
        if not query.strip():
            notes = sorted((self._note(file) for file in self._notes), key=lambda entry: entry.title)
            asked = sorted((_entry(question) for question in self._questions.values()), key=lambda entry: entry.title)
            return notes + asked
        found: dict[str, Entry] = {}
        for hit in self._index.search(query[:2000], k * 3, kind=None):
            entry = self._note(self._files[hit.id]) if hit.kind == "note" else _entry(self._questions[hit.id])
            found.setdefault(entry.id, entry)
        return list(found.values())[:k]

    def _note(self, file: str) -> Entry:
        notes = self._notes[file]
        parts: list[str] = []
        heading = ""
        for note in notes:
            here = note.title.rpartition(" > ")[2]
            if here != heading and " > " in note.title:
                parts.append(f"#### {here}")
            heading = here
            parts.append(note.text)
        return Entry(file, "note", notes[0].title.partition(" > ")[0], "\n\n".join(parts))


def _entry(question: Question) -> Entry:
    tags = (question.topic.replace("_", " "), question.framework.value, question.level.value, question.kind.value)
    return Entry(question.id, "question", question.title, question.ask, tags, question.sources, question.errata)
