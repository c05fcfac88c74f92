"""Finds the questions and answers in a text or Markdown document, in spite of how pages get mangled when copied.

Known shapes: `Q1: …` / `Answer: …`; a level glued to a kind ("HardSystem Design") above a question and `Sample Answer`;
headings, bold lines and numbered lines that ask; `<details><summary>`; a table with a question and an answer column.
Text is data: nothing in it is executed, and Python is only parsed to tell it from prose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from domain import Kind, Level, UserError
from knowledge.words import sentences, words

LARGEST = 2 << 20  # bytes of a document
LONGEST_CODE = 200  # lines read as one piece of Python
PARSED_LINES = 100_000  # lines given to the parser for one document; what comes after counts as prose
_LEVEL = re.compile(r"^(easy|medium|hard)\s*[-–:]?\s*(technical|system design|coding|behaviou?ral|conceptual)?$", re.I)
_POPULARITY = re.compile(r"^(\d{1,5}) practi[cs]ed$", re.I)
_SAMPLE = re.compile(r"^(sample|model|example|suggested)?\s*answer\s*:?$", re.I)
_NUMBERED = re.compile(r"^(?:#{1,6}\s*)?\**(?:Q|Question)\s*\d*\s*[:.)]\**\s*(.+?)\**$", re.I)
_ANSWER = re.compile(r"^\**(?:A|Ans|Answer)\s*\d*\s*[:.)]\**\s*(.*)$", re.I)
_ASKING = re.compile(r"^(?:#{1,6}\s+(?:\d+[.)]\s*)?(.+\?)|\*\*(?:\d+[.)]\s*)?(.+\?)\*\*|\d+[.)]\s+\**(.+\?)\**)$")
_SUMMARY = re.compile(r"<summary>\s*(.+?)\s*</summary>", re.I)
_TAGS = re.compile(r"</?(?:details|summary|p|br|b|strong)\b[^>]*>", re.I)
_TITLE = re.compile(r"^(?:#{1,6}\s+)?[A-Z][\w’'/-]*(?: (?:[A-Z][\w’'/-]*|and|of|the|to|for|&)){0,5}$")
_GLUED = re.compile(r"^(.*[)\]'\"])([A-Z][\w-]+(?: [A-Z][\w-]+)*)$")
_BULLET = re.compile(r"(?<=[.:;)])\s*- (?=[A-Z])")  # "…:- First… .- Second": list items glued together
_LANGUAGE = re.compile(r"^(python|py|code)$", re.I)
_KINDS = {"system design": Kind.DESIGN, "coding": Kind.CODE}


@dataclass
class Pair:
    """A question found in a document, and what it says about it. `line` is where it begins, 1-based."""

    question: str
    line: int
    level: Level | None = None
    kind: Kind = Kind.EXPLAIN
    popularity: int = 0
    answer: str = ""
    code: str = ""
    points: list[str] = field(default_factory=list)


def read_text(path: Path) -> str:
    """The text of a .txt or .md file. Raises UserError when it is not one, not text, or too large."""
    if path.suffix.lower() not in (".txt", ".md", ".markdown"):
        raise UserError(f"{path.name}: only .txt and .md documents can be read so far.")
    try:
        if path.stat().st_size > LARGEST:
            raise UserError(f"{path.name}: is larger than {LARGEST >> 20} MiB.")
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path.name}: cannot be read: {error.strerror}.") from None
    encoding = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "UTF-8"
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name}: is not {encoding} text (byte {error.start}).") from None
    if "\0" in text:
        raise UserError(f"{path.name}: is not text, whatever its name says.")
    return text


class _Parser:
    """Tells Python from prose, for one document, within a budget: crafted text must not keep it busy."""

    def __init__(self) -> None:
        self._left = PARSED_LINES

    def code_end(self, lines: list[str], start: int) -> int:
        """Where the Python that begins at `start` ends: `start` itself where there is none."""
        if not _may_begin(lines[start : start + 2]):
            return start
        end = min(len(lines), start + LONGEST_CODE)
        while end > start and self._left > 0:
            self._left -= end - start
            body = _parsed("\n".join(lines[start:end]))
            if not isinstance(body, int):
                while end > start and not lines[end - 1].strip():
                    end -= 1
                return end if _python(body) else start
            end = min(start + body - 1, end - 1)  # up to the line that is no Python
        return start


def _parsed(text: str) -> list[ast.stmt] | int:
    """The statements of a Python text, or the 1-based line that cannot be."""
    try:
        return ast.parse(text).body
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, RecursionError, MemoryError):
        return 1


def _python(body: list[ast.stmt] | int) -> bool:
    """Whether it is Python that does something, rather than prose that happens to parse."""
    if isinstance(body, int):
        return False
    telling = (ast.Import, ast.ImportFrom, ast.Assign, ast.AugAssign, ast.FunctionDef, ast.ClassDef, ast.With, ast.For)
    calls = [node for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    return bool(calls) or any(isinstance(node, telling) for node in body)


def _split(lines: list[str], parser: _Parser) -> tuple[str, str]:
    """Prose and code of an answer: fenced or announced code, and runs of lines that parse as Python."""
    prose: list[str] = []
    code: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        if line.lstrip().startswith(("```", "~~~")):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == line.strip()[:3]), len(lines))
            code += [*lines[at + 1 : end], ""]
            at = end + 1
            continue
        start = at + 1 if _LANGUAGE.match(line.strip()) else at
        end = parser.code_end(lines, start)
        if end > start:
            code += [*lines[start:end], ""]
            at = end
            continue
        if start == at:
            prose.append(line)
        at += 1
    text = _BULLET.sub("\n- ", "\n".join(_TAGS.sub("", line) for line in prose))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text, "\n".join(code).strip()


def _may_begin(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return bool(re.match(r"(?:#|@|import |from |def |class |with |for |if |[A-Za-z_][\w.,\[\] ]*(?:=|\())", first))


def _unglued(text: str) -> list[str]:
    """The lines, with a heading that got glued to the end of a line of code on a line of its own."""
    lines: list[str] = []
    for line in text.splitlines():
        match = _GLUED.match(line)
        lines += [match[1], match[2]] if match and _python(_parsed(match[1].strip())) else [line]
    return lines


def _rows(lines: list[str]) -> Iterator[Pair]:
    """Pairs of a Markdown table whose head has a question and an answer column."""
    for at in range(len(lines) - 1):
        head = [cell.strip().lower() for cell in lines[at].strip().strip("|").split("|")]
        if not re.fullmatch(r"[\s|:-]*-[\s|:-]*", lines[at + 1]) or not {"question", "answer"} <= {*head}:
            continue
        for number in range(at + 2, len(lines)):
            cells = [cell.strip() for cell in lines[number].strip().strip("|").split("|")]
            if "|" not in lines[number] or len(cells) != len(head):
                break
            row = dict(zip(head, cells, strict=True))
            yield Pair(row["question"], number + 1, answer=row["answer"])


def _opening(line: str) -> str | None:
    """The question, where the line is one by its form."""
    if found := _NUMBERED.match(line) or _SUMMARY.search(line):
        return found[1]
    found = _ASKING.match(line)
    return next(part for part in found.groups() if part) if found else None


def find_pairs(text: str) -> list[Pair]:
    """The questions of a document in order, each with its answer, code and rubric-point drafts."""
    lines = _unglued(text)
    pairs: list[Pair] = []
    bodies: list[list[str]] = []
    body: list[str] | None = None
    fenced = asking = False
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        fenced ^= line.startswith(("```", "~~~"))
        level, popularity = _LEVEL.match(line), _POPULARITY.match(line)
        question = None if fenced else _opening(line)
        if level and not fenced:
            kind = _KINDS.get((level[2] or "").lower(), Kind.EXPLAIN)
            pairs.append(Pair("", number, Level(level[1].lower()), kind))
            body, asking = None, True
            bodies.append([])
        elif question is not None:
            pairs.append(Pair(_TAGS.sub("", question).strip(), number))
            bodies.append(body := [])
            asking = False
        elif not pairs:
            continue
        elif popularity and asking:
            pairs[-1].popularity = int(popularity[1])
        elif _SAMPLE.match(line) and not fenced:
            body, asking = bodies[-1], False
        elif asking:
            pairs[-1].question = f"{pairs[-1].question}\n{line}".strip()
        elif _TITLE.match(line) and not fenced and body:
            body = None  # a heading ends the answer, and what follows it belongs to no question
        elif body is not None:
            answer = _ANSWER.match(line)
            body.append(answer[1] if answer else raw)
    parser = _Parser()
    for pair, found in zip(pairs, bodies, strict=True):
        pair.answer, pair.code = _split(found, parser)
    pairs = [pair for pair in [*pairs, *_rows(lines)] if pair.question and pair.answer + pair.code]
    for pair in pairs:
        pair.points = [part for part in sentences(pair.answer) if len(words(part)) >= 3]
    return pairs
