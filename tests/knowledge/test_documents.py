"""Documents of every format are read in a child process, and what cannot be read gets a clear message."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from domain import UserError
from knowledge.documents import kind_of, read_document, read_file, shown_name
from tests.knowledge import documents as made

GOOD = {
    "notes.txt": made.text, "notes.md": made.markdown, "notes.html": made.html, "notes.pdf": made.pdf,
    "notes.docx": made.docx, "notes.ipynb": made.ipynb,
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_each_format_gives_its_questions(name: str) -> None:
    document = read_document(name, GOOD[name]())
    assert [(pair.question, pair.answer) for pair in document.pairs] == made.PAIRS
    assert document.notices == ()
    everything = document.rest + "".join(pair.answer + pair.code for pair in document.pairs)
    for left_out in ("attacked", "192.0.2.1", "Unseen", "Home", "printed words"):
        assert left_out not in everything
    if name == "notes.ipynb":
        assert document.pairs[-1].code == "import torch\nx = torch.ones(2)"


BAD = [
    ("a.pdf", made.encrypted_pdf, "is encrypted"),
    ("a.pdf", lambda: made.blank_pdf(3), "is scanned"),
    ("a.pdf", lambda: made.blank_pdf(500), "500 pages, and at most 200"),
    ("a.pdf", lambda: made.pdf()[:3000], "is a damaged PDF"),
    ("a.pdf", made.docx, "is a Word document (docx) by its content"),
    ("a.docx", made.pdf, "is a PDF by its content"),
    ("a.txt", made.html, "is HTML by its content"),
    ("a.docx", lambda: b"PK\x03\x04" + b"x" * 99, "is a damaged Word document"),
    ("a.docx", lambda: made.docx(extra={"word/media/x": bytes(100 << 20)}), "as a bomb does"),
    ("a.docx", lambda: made.docx(made.paragraph("&l9;"), prolog=made.LAUGHS), "is a damaged Word document"),
    ("a.docx", lambda: made.docx("<w:p>" * 20_000 + "</w:p>" * 20_000), "is a damaged Word document"),
    ("a.docx", lambda: b"\xd0\xcf\x11\xe0" + b"x" * 99, "is an old Word"),
    ("a.ipynb", lambda: b'{"cells": []}', "is not a notebook"),
    ("a.ipynb", lambda: b"[" * 100_000, "is not a notebook"),
    ("a.html", lambda: b"just words", "is not HTML"),
    ("a.txt", lambda: b"\x89PNG\r\n\x1a\n", "is a picture"),
    ("a.txt", lambda: bytes(range(256)) * 9, "cannot be told"),
    ("a.md", lambda: b"text\0text", "is not text"),
    ("a.txt", lambda: b" \n\t", "is empty"),
    ("a.txt", lambda: b"x" * 1_000_000, "holds no text in lines that can be read"),
    ("a.txt", lambda: b"x" * ((2 << 20) + 1), "is larger than 2 MiB"),
    ("a.exe", lambda: b"MZ", "cannot be read. Known are"),
]


@pytest.mark.parametrize(("name", "make", "reason"), BAD, ids=[f"{name}: {reason}" for name, _, reason in BAD])
def test_what_cannot_be_read_is_told(name: str, make: object, reason: str) -> None:
    with pytest.raises(UserError) as error:
        read_document(name, make())  # type: ignore[operator]
    assert reason in str(error.value)
    assert str(error.value).startswith(f"{name}: ")


def test_encodings() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert read_document("a.txt", "Q1: Größe?\nA: Ein Maß.".encode(encoding)).pairs[0].question == "Größe?"
    guessed = read_document("a.txt", "Q1: Größe?\nA: Schöne, große Maße für Würfel.".encode("latin-1"))
    assert guessed.pairs[0].question == "Größe?"
    assert "It is not UTF-8" in guessed.notices[0]
    declared = '<html><meta charset="shift-jis"><h2>テンソルとは何ですか?</h2><p>配列です。</p>'.encode("shift-jis")
    assert read_document("a.html", declared).pairs[0].question == "テンソルとは何ですか?"


def test_a_bomb_of_tags_or_lines_does_no_harm() -> None:
    assert read_document("a.html", made.LAUGHS.encode() + b"<html><p>Some words.</p>").pairs == ()
    assert read_document("a.txt", b"a\n" * 300_000).pairs == ()
    many = read_document("a.txt", b"Q: What?\nA: b c d e.\n" * 10_000)
    assert (len(many.pairs), "10000 questions" in many.notices[0]) == (500, True)


def test_memory_and_time_are_limited() -> None:
    with pytest.raises(UserError, match="memory"):
        read_document("a.txt", made.text() * 4000, memory=40 << 20)
    with pytest.raises(UserError, match=r"within \d seconds"):
        read_document("a.html", b"<div>" * 800_000, seconds=1)


def test_external_entities_and_files_are_not_read() -> None:
    prolog = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    document = read_document("a.docx", made.docx(made.paragraph("Words. &x; More words."), prolog=prolog))
    assert "root" not in document.rest


def test_characters_that_turn_or_hide_text_go() -> None:
    document = read_document("a.txt", "Q1: What is \u202eevil\u202c\u200b?\nA: Fine\x07 words.".encode())
    assert (document.pairs[0].question, document.pairs[0].answer) == ("What is evil?", "Fine words.")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\docs\\a.txt", "a.txt"),
        ("a\u202etxt.exe", "atxt.exe"),
        ("a\nb.md", "ab.md"),
        ("größe.md", "größe.md"),
    ],
)
def test_names_are_made_fit_to_show(name: str, shown: str) -> None:
    assert shown_name(name) == shown
    assert len(shown_name("x" * 500 + ".txt")) <= 80


def test_files_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(made.markdown())
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    assert len(read_file(tmp_path / "link.md").pairs) == 2
    os.mkfifo(tmp_path / "pipe.txt")
    for name, reason in (("absent.txt", "cannot be read"), ("pipe.txt", "is not a file")):
        with pytest.raises(UserError, match=reason):
            read_file(tmp_path / name)
    with pytest.raises(UserError, match=r"cannot be read|is not a file"):
        read_file(tmp_path)


def test_the_child_has_no_environment_and_many_may_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(read_document("a.txt", made.text()).pairs))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 4


def test_kinds_are_told_without_regard_to_case() -> None:
    assert kind_of("A.PDF", b"%PDF-1.4") == "pdf"
    assert kind_of("a.markdown", b"# x") == "md"
