"""The library: what may be looked up, and what it never shows."""

from __future__ import annotations

from pathlib import Path

from domain import Embedder
from knowledge.index import QuestionIndex
from knowledge.library import load_library
from knowledge.questions import load_bank
from knowledge.shelf import Shelf
from ui.shelf import OPEN, entries_html

QUESTIONS = ("grad_at", "batch_norm", "low_latency_inference")


def _shelf(folder: Path, embedder: Embedder) -> Shelf:
    bank = load_bank(only=QUESTIONS)
    notes = [note for note in load_library() if note.file in ("autograd", "batch_normalisation")]
    return Shelf(bank, QuestionIndex(bank, embedder, folder, notes), notes)


def test_everything_is_listed_once_and_shows_no_rubric(tmp_path: Path, embedder: Embedder) -> None:
    entries = _shelf(tmp_path, embedder).search("")
    assert [entry.kind for entry in entries] == ["note", "note", "question", "question", "question"]
    shown = entries_html(entries, "")
    for question in load_bank(only=QUESTIONS).questions.values():
        assert question.title in shown
        assert question.model_answer.strip()[:60] not in shown
        for point in question.points:
            assert point.says not in shown, point.id
            assert not any(hint in shown for hint in point.hints)


def test_what_is_searched_for_comes_first_and_a_note_is_whole(tmp_path: Path, embedder: Embedder) -> None:
    shelf = _shelf(tmp_path, embedder)
    found = shelf.search("running mean and variance in eval mode")
    assert found[0].id in ("batch_norm", "batch_normalisation")
    assert len({(entry.kind, entry.id) for entry in found}) == len(found)
    note = next(entry for entry in found if entry.id == "batch_normalisation")
    source = (Path(load_library.__code__.co_filename).parent / "library" / "batch_normalisation.md").read_text()
    for line in source.splitlines():
        if line and not line.startswith("#"):
            assert line in note.text, "no passage is left out"


def test_the_open_question_shows_nothing_but_its_title(tmp_path: Path, embedder: Embedder) -> None:
    entries = [entry for entry in _shelf(tmp_path, embedder).search("") if entry.id == "grad_at"]
    assert OPEN not in entries_html(entries, "autograd")
    shown = entries_html(entries, "autograd", open_id="grad_at")
    assert OPEN in shown
    assert "Sources" not in shown
    assert "A source errs" not in shown


def test_nothing_found_says_what_to_do() -> None:
    assert "fewer words" in entries_html([], "xyzzy")
