"""The library: study notes in Markdown, cut into passages that carry the path of their headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from domain import UserError

LIBRARY = Path(__file__).resolve().parent / "library"
LONGEST = 1000  # characters of a passage: about what the embedding model reads at once
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")


@dataclass(frozen=True)
class Note:
    """A passage of a study note. `title` is its heading path ("Batch normalisation > Momentum"), `file` its name."""

    id: str
    title: str
    text: str
    file: str


def _sections(text: str) -> list[tuple[tuple[str, ...], str]]:
    """(heading path, text under it) in order; a # in a code block is no heading."""
    path: list[str] = []
    found: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            path = [*path[: len(heading[1]) - 1], heading[2]]
            found.append((tuple(path), []))
        else:
            found[-1][1].append(line)
    return [(titles, "\n".join(lines).strip()) for titles, lines in found if "\n".join(lines).strip()]


def _pieces(text: str) -> list[str]:
    """The text in pieces of at most LONGEST characters, cut between paragraphs where that is possible."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    if len(text) <= LONGEST:
        return [text]
    splitter = RecursiveCharacterTextSplitter(
        separators=["\n\n", "\n", ". ", " ", ""], chunk_size=LONGEST, chunk_overlap=0, keep_separator="end"
    )
    return splitter.split_text(text)


def read_note(text: str, file: str) -> list[Note]:
    """The passages of one Markdown text. `file` is its name without ending, and begins the passages' ids."""
    notes: list[Note] = []
    for titles, body in _sections(text):
        for piece in _pieces(body):
            notes.append(Note(f"{file}#{len(notes) + 1}", " > ".join(titles) or file, piece, file))
    return notes


def load_library(folder: Path = LIBRARY) -> list[Note]:
    """All passages of the library, in order of file name. Raises UserError naming a file that cannot be read."""
    notes: list[Note] = []
    for path in sorted(Path(folder).glob("*.md")):
        try:
            notes += read_note(path.read_text(encoding="utf-8"), path.stem)
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"The note {path.name} cannot be read: {error}.") from None
    return notes
