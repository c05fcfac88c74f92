"""The formats of documents: each function turns bytes into plain Markdown, or raises UserError with what is wrong.

Runs in the child process of `knowledge.extract`, with limits on memory and time, since parsers meet hostile bytes here.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

from domain import UserError
from knowledge.markup import to_markdown

MOST_PAGES = 200  # of a PDF
MOST_UNPACKED = 64 << 20  # bytes that the parts of a docx may have in all
MOST_PARTS = 2_000
MOST_CELLS = 5_000  # of a notebook
LEAST_ON_A_PAGE = 20  # characters; a page with less holds a picture, or nothing
_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{2,40})", re.I)
_MARKS = (("utf-8-sig", b"\xef\xbb\xbf"), ("utf-32", b"\xff\xfe\0\0"), ("utf-32", b"\0\0\xfe\xff"),
          ("utf-16", b"\xff\xfe"), ("utf-16", b"\xfe\xff"))  # fmt: skip

Notices = list[str]


def decode(data: bytes, notices: Notices, declared: str = "") -> str:
    """The text. What is not UTF-8, and bears no mark, is read in the most likely encoding, and a notice says which."""
    for encoding, mark in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                raise UserError(f"it begins as {encoding.upper()} text and is none. Save it as UTF-8.") from None
    for encoding in filter(None, ("utf-8", declared)):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000], threshold=0.15, enable_fallback=False).best()
    if best is None or best.chaos > 0.1:
        raise UserError("its letters are in an encoding that cannot be told. Save it as UTF-8.")
    notices.append(
        f"It is not UTF-8; it was read as {best.encoding.replace('_', '-')}. "
        "If letters look wrong, save it as UTF-8 and upload it again."
    )
    return data.decode(best.encoding, "replace")


def text(data: bytes, notices: Notices) -> str:
    """Plain text or Markdown."""
    found = decode(data, notices)
    if "\0" in found:
        raise UserError("it is not text, whatever its name says.")
    return found


def html(data: bytes, notices: Notices) -> str:
    """A page."""
    declared = _META.search(data[:4096])
    found = decode(data, notices, declared[1].decode() if declared else "")
    if "\0" in found or not re.search(r"<[a-zA-Z!/]", found):
        raise UserError("it is not HTML, whatever its name says.")
    return to_markdown(found)


def pdf(data: bytes, notices: Notices) -> str:
    """A PDF with text in it. Line breaks inside paragraphs are undone."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UserError("it is encrypted. Save a copy without a password, and upload that.")
        count = len(reader.pages)
        if count > MOST_PAGES:
            raise UserError(f"it has {count} pages, and at most {MOST_PAGES} are read. Upload the part that you need.")
        pages = [page.extract_text() for page in reader.pages]
    except DependencyError:
        raise UserError("it is encrypted. Save a copy without a password, and upload that.") from None
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError, OSError) as error:
        raise UserError(f"it is a damaged PDF ({_first(error)}). Print it to a new PDF, and upload that.") from None
    empty = sum(len(page.strip()) < LEAST_ON_A_PAGE for page in pages)
    if count and empty == count:
        raise UserError("its pages hold no text: it is scanned, or drawn. Put it through OCR first.")
    if empty:
        notices.append(f"{empty} of its {count} pages hold no text (pictures, perhaps) and were left out.")
    return "\n\n".join(map(_unwrapped, pages))


_STARTS = re.compile(r"(?:Q(?:uestion)?\s*\d*|A(?:ns|nswer)?)\s*[:.)]|\d+[.)]\s|[-•*‣▪]\s|#", re.I)


def _unwrapped(page: str) -> str:
    """Paragraphs on one line each: a line that is nearly full goes on in the next one."""
    lines = [line.rstrip() for line in page.splitlines()]
    full = max((len(line) for line in lines), default=0) * 0.7
    out: list[str] = []
    last = ""
    for line in lines:
        goes_on = last and line and (len(last) >= full or line[0].islower()) and not _STARTS.match(line)
        if goes_on and not re.search(r"[?:]$", last) and not _code_like(line):
            out[-1] = f"{out[-1][:-1]}{line}" if re.search(r"[a-z]-$", out[-1]) else f"{out[-1]} {line}"
        else:
            out.append(re.sub(r"^[•‣▪]\s*", "- ", line))
        last = line
    return "\n".join(out)


def _code_like(line: str) -> bool:
    return bool(re.match(r"\s{2,}|import |from \w+ import|def |class |return |>>> |[\w.]+ = ", line))


def docx(data: bytes, _notices: Notices) -> str:
    """A Word document."""
    import mammoth

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            infos = parts.infolist()
            if len(infos) > MOST_PARTS or sum(info.file_size for info in infos) > MOST_UNPACKED:
                raise UserError(
                    f"it unpacks to more than {MOST_UNPACKED >> 20} MiB or {MOST_PARTS} parts, as a bomb does."
                )
            if "word/document.xml" not in parts.namelist():
                raise UserError("it is not a Word document, whatever its name says.")
            if any(info.flag_bits & 1 for info in infos):
                raise UserError("it is encrypted. Save a copy without a password, and upload that.")
        result = mammoth.convert_to_html(
            io.BytesIO(data), convert_image=mammoth.images.img_element(lambda _image: {}), external_file_access=False
        )
    except UserError:
        raise
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the parser raises, the file is at fault
        raise UserError(f"it is a damaged Word document ({_first(error)}). Save it anew, and upload that.") from None
    return to_markdown(result.value)


def ipynb(data: bytes, notices: Notices) -> str:
    """A Jupyter notebook: its text cells and its code cells; outputs are left out."""
    import nbformat

    raw = decode(data, notices)
    try:
        content: Any = json.loads(raw)
    except (ValueError, RecursionError):
        raise UserError("it is not a notebook (no JSON), whatever its name says.") from None
    if not isinstance(content, dict) or "nbformat" not in content:
        raise UserError("it is not a notebook, whatever its name says.")
    try:
        book: Any = nbformat.reads(raw, as_version=4)  # type: ignore[no-untyped-call]
        cells = list(book.cells)
        sources = [(cell.cell_type, _source(cell.source)) for cell in cells[:MOST_CELLS]]
    except Exception as error:  # noqa: BLE001 - whatever the parser raises, the file is at fault
        raise UserError(f"it is a damaged notebook ({_first(error)}).") from None
    if len(cells) > MOST_CELLS:
        raise UserError(f"it has {len(cells)} cells, and at most {MOST_CELLS} are read.")
    return "\n\n".join(f"```python\n{source}\n```" if kind == "code" else source for kind, source in sources)


def _source(source: Any) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _first(error: BaseException) -> str:
    return ((str(error).strip() or type(error).__name__).splitlines()[0])[:120]


READERS: dict[str, Callable[[bytes, Notices], str]] = {
    "txt": text,
    "md": text,
    "html": html,
    "pdf": pdf,
    "docx": docx,
    "ipynb": ipynb,
}
