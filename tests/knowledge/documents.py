"""Documents made for tests: the same two questions in every format, and what a hostile person would upload."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from pypdf import PdfReader, PdfWriter
from weasyprint import HTML

PAIRS = [
    ("What is a tensor in a framework for deep learning, and how does it differ from a plain array of NumPy?",
     "It is an array of numbers with a type and a device. It can record operations, so that gradients can be taken."),
    ("What does the rank of a tensor tell?", "It tells the number of its axes."),
]  # fmt: skip
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
LAUGHS = '<!DOCTYPE l [<!ENTITY l0 "lol">' + "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
) + "]>"  # fmt: skip


def html() -> bytes:
    """A page with headings that ask, navigation, a script and a picture."""
    body = "".join(f"<h2>{ask}</h2><p>{answer}</p>" for ask, answer in PAIRS)
    return (
        "<!doctype html><html><head><title>t</title><script>window.attacked = 1</script></head><body><nav>Home</nav>"
        f'{body}<img src="http://192.0.2.1/x.png" onerror="window.attacked = 2"><p style="display:none">Unseen</p>'
        "<script>window.attacked = 3</script></body></html>"
    ).encode()


def pdf(pages: str = "") -> bytes:
    """A PDF with text."""
    body = pages or "".join(f"<p>Q{n}: {ask}</p><p>Answer: {answer}</p>" for n, (ask, answer) in enumerate(PAIRS, 1))
    return HTML(string=body).write_pdf()  # type: ignore[no-any-return]


def written(writer: PdfWriter) -> bytes:
    """The bytes of a PDF."""
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def encrypted_pdf() -> bytes:
    """A PDF with a password."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf())))
    writer.encrypt("secret", algorithm="RC4-128")
    return written(writer)


def blank_pdf(pages: int) -> bytes:
    """A PDF whose pages hold no text, as a scan's do."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(200, 200)
    return written(writer)


def docx(body: str = "", prolog: str = "", extra: dict[str, bytes] | None = None) -> bytes:
    """A Word document, with bold lines that ask unless a body of paragraphs is given."""
    body = body or "".join(paragraph(ask, bold=True) + paragraph(answer) for ask, answer in PAIRS)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_TYPES}"><Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>',
        )
        package.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_RELATIONS}">'
            f'<Relationship Id="r1" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>',
        )
        package.writestr("word/document.xml", f"{prolog}<w:document {_WORD}><w:body>{body}</w:body></w:document>")
        for name, data in (extra or {}).items():
            package.writestr(name, data)
    return out.getvalue()


def paragraph(text: str, *, bold: bool = False) -> str:
    """A paragraph of a Word document."""
    return f"<w:p><w:r>{'<w:rPr><w:b/></w:rPr>' if bold else ''}<w:t>{text}</w:t></w:r></w:p>"


def ipynb(code: str = "import torch\nx = torch.ones(2)") -> bytes:
    """A notebook with a text cell a question, and one code cell."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": f"c{n}", "metadata": {}, "source": [f"## {ask}\n", answer]}
        for n, (ask, answer) in enumerate(PAIRS)
    ]
    output = {"output_type": "stream", "name": "stdout", "text": "printed words"}
    cells.append(
        {"cell_type": "code", "id": "z", "metadata": {}, "execution_count": 1, "outputs": [output], "source": code}
    )
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def text() -> bytes:
    """Plain text."""
    return "\n".join(f"Q{n}: {ask}\nA: {answer}\n" for n, (ask, answer) in enumerate(PAIRS, 1)).encode()


def markdown() -> bytes:
    """Markdown with headings that ask."""
    return "\n".join(f"## {ask}\n\n{answer}\n" for ask, answer in PAIRS).encode()
