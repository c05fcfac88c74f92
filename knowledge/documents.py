"""Reads somebody's document: its format told by its bytes as well as its name, its content by a child process.

Parsers meet hostile bytes, so they run in a process of their own (`knowledge.extract`) that has no environment, limited
memory and time, and is killed at the deadline. What comes back is data, and is checked again here.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain import Kind, Level, UserError
from knowledge.pairs import Pair

ROOT = Path(__file__).resolve().parent.parent
KINDS = {
    ".txt": "txt", ".text": "txt", ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf", ".docx": "docx", ".ipynb": "ipynb",
}  # fmt: skip
NAMES = {"txt": "plain text", "md": "Markdown", "html": "HTML", "pdf": "a PDF", "docx": "a Word document (docx)",
         "ipynb": "a Jupyter notebook"}  # fmt: skip
LARGEST = {"txt": 2 << 20, "md": 2 << 20, "html": 4 << 20, "pdf": 6 << 20, "docx": 6 << 20, "ipynb": 6 << 20}  # bytes
MEMORY = 768 << 20  # bytes of address space of the child
SECONDS = 20  # of processor time; the wall clock gets three times as long, for a busy machine
MOST_ANSWER = 32 << 20  # bytes that the child may write
# What the first bytes tell, where it is nothing that can be read.
_FOREIGN = (
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document; save it as docx"),
    (b"{\\rtf", "an RTF document; save it as docx or txt"),
    (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"), (b"GIF8", "a picture"), (b"II*\0", "a picture"),
    (b"\x1f\x8b", "a packed file; unpack it first"), (b"7z\xbc\xaf", "a packed file; unpack it first"),
    (b"Rar!", "a packed file; unpack it first"), (b"BZh", "a packed file; unpack it first"),
    (b"\x7fELF", "a program"), (b"MZ", "a program"), (b"SQLite format", "a database"),
    (b"RIFF", "sound, video or a picture"), (b"OggS", "sound"), (b"ID3", "sound"),
)  # fmt: skip
_AT_ONCE = threading.BoundedSemaphore(2)  # children; each may take MEMORY


@dataclass(frozen=True)
class Document:
    """What was read: the pairs of question and answer, the text that is in none of them, and what to tell."""

    name: str
    kind: str
    pairs: tuple[Pair, ...]
    rest: str
    notices: tuple[str, ...] = ()


def shown_name(name: str) -> str:
    """The last part of a file's name, fit to show: no path, no control or direction characters, not too long."""
    name = name.replace("\\", "/").rpartition("/")[2]
    name = "".join(letter for letter in name if (letter.isprintable() and letter.isascii()) or letter.isalnum()).strip()
    stem, dot, ending = name.rpartition(".")
    return name if len(name) <= 80 else f"{(stem or ending)[: 78 - len(ending)]}…{dot}{ending[:10]}"


def kind_of(name: str, data: bytes) -> str:
    """The format, by name and by content. Raises UserError where the two disagree, or it cannot be read."""
    wanted = KINDS.get(Path(name).suffix.lower())
    told = ", ".join(sorted({ending for ending in KINDS if len(ending) < 7}))
    if wanted is None:
        raise UserError(f"{name}: documents of this kind cannot be read. Known are {told}.")
    if not data.strip():
        raise UserError(f"{name}: is empty.")
    found = _by_content(data)
    if found in NAMES and found != wanted and not (found == "html" and wanted == "md"):
        raise UserError(f"{name}: is {NAMES[found]} by its content, whatever its name says. Rename it, and try again.")
    for start, what in _FOREIGN:
        if data.startswith(start) and not (start == b"MZ" and b"\0" not in data[:512]):
            raise UserError(f"{name}: is {what}.")
    if wanted in ("pdf", "docx") and found != wanted:
        raise UserError(f"{name}: is not {NAMES[wanted]}, whatever its name says.")
    if len(data) > LARGEST[wanted]:
        raise UserError(f"{name}: is larger than {LARGEST[wanted] >> 20} MiB.")
    return wanted


def _by_content(data: bytes) -> str:
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"%PDF-") or b"\n%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return "docx"  # or another package: the child looks inside
    if head[:9].lower() == b"<!doctype" or head[:5].lower() == b"<html":
        return "html"
    return "ipynb" if head.startswith(b"{") and b'"nbformat"' in data else ""


def read_document(name: str, data: bytes, memory: int = MEMORY, seconds: int = SECONDS) -> Document:
    """Read a document. `name` is the file's name. Raises UserError with what is wrong with it."""
    name = shown_name(name) or "document"
    kind = kind_of(name, data)
    try:
        answer = _in_child(kind, data, memory, seconds)
    except UserError as error:
        raise UserError(f"{name}: {error}") from None
    if "error" in answer:
        raise UserError(f"{name}: {answer['error']}")
    return Document(
        name, kind, tuple(_pair(row) for row in answer["pairs"]), str(answer["rest"]), tuple(answer["notices"])
    )


def read_file(path: Path) -> Document:
    """Read a file of this machine. Raises UserError, also where it is no regular file."""
    try:
        # Without waiting: the name may be that of a pipe.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UserError(f"{path}: is not a file.")
            data = file.read(max(LARGEST.values()) + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}.") from None
    return read_document(path.name, data)


def _pair(row: dict[str, Any]) -> Pair:
    level = Level(row["level"]) if row["level"] else None
    return Pair(
        str(row["question"]), int(row["line"]), level, Kind(row["kind"]), min(int(row["popularity"]), 100),
        str(row["answer"]), str(row["code"]), [str(point) for point in row["points"]],
    )  # fmt: skip


def _in_child(kind: str, data: bytes, memory: int, seconds: int) -> dict[str, Any]:
    """What the child answers. Raises UserError where it was stopped."""
    command = [sys.executable, "-m", "knowledge.extract", kind, str(memory), str(seconds)]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    if not _AT_ONCE.acquire(timeout=3 * seconds):
        raise UserError("other documents are being read first. Try again in a minute.")
    try:
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
        ) as child:  # fmt: skip
            try:
                out, _ = child.communicate(data, timeout=3 * seconds)
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                raise UserError(f"it could not be read within {3 * seconds} seconds. Upload a smaller part.") from None
    finally:
        _AT_ONCE.release()
    if child.returncode == 0 and len(out) <= MOST_ANSWER:
        try:
            answer: dict[str, Any] = json.loads(out)
        except ValueError:
            answer = {}
        if answer:
            return answer
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise UserError(f"it could not be read within {seconds} seconds of work. Upload a smaller part.")
    raise UserError("it makes its reader fail: it needs too much memory, or is made to harm. Save it anew, or as txt.")
