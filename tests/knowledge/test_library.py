"""Notes are cut into passages that know where they stand, and the packaged ones are ours to be proud of."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain import UserError
from knowledge.library import LIBRARY, LONGEST, load_library, read_note

NOTE = """# Batch normalisation

Intro.

## Momentum

PyTorch and Keras differ.

```python
# not a heading
x = 1
```

### In Keras

The default is 0.99.

## Empty

## Evaluation

Fixed statistics.
"""


def test_passages_carry_their_heading_path() -> None:
    notes = read_note(NOTE, "batch_norm")
    assert [note.title for note in notes] == [
        "Batch normalisation",
        "Batch normalisation > Momentum",
        "Batch normalisation > Momentum > In Keras",
        "Batch normalisation > Evaluation",
    ]
    assert "# not a heading" in notes[1].text
    assert [note.id for note in notes] == [f"batch_norm#{number}" for number in range(1, 5)]


def test_long_sections_are_cut_without_losing_a_word() -> None:
    paragraphs = [f"Paragraph {number} " + "has several words. " * 20 for number in range(9)]
    notes = read_note("# Long\n\n" + "\n\n".join(paragraphs), "long")
    assert len(notes) > 2
    assert all(len(note.text) <= LONGEST for note in notes)
    assert " ".join(" ".join(note.text for note in notes).split()) == " ".join(" ".join(paragraphs).split())


def test_the_packaged_library_is_read() -> None:
    notes = load_library()
    assert {note.file for note in notes} == {path.stem for path in LIBRARY.glob("*.md")}
    assert len({note.id for note in notes}) == len(notes)
    assert len(notes) >= 12
    for path in LIBRARY.glob("*.md"):
        assert path.read_text(encoding="utf-8").startswith("# "), path.name


def test_a_note_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UserError, match=r"bad\.md"):
        load_library(tmp_path)
