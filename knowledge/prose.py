"""Tells Python from prose in the text of an answer. Text is data: it is only parsed, and nothing in it is executed."""

from __future__ import annotations

import ast
import re

LONGEST_CODE = 200  # lines read as one piece of Python
PARSED_LINES = 100_000  # lines given to the parser for one document; what comes after counts as prose
_TAGS = re.compile(r"</?(?:details|summary|p|br|b|strong)\b[^>]*>", re.I)
_GLUED = re.compile(r"^(.*[)\]'\"])([A-Z][\w-]+(?: [A-Z][\w-]+)*)$")
_BULLET = re.compile(r"(?<=[.:;)])(?:\s*- (?=[A-Z])|- (?=[a-z`]))")  # "…:- First… .- second": list items glued together
_LABEL = re.compile(r"(?<=\w) ?- (?=[A-Z])")  # "Trade-offs- First", "fusion - Run": the first item glued to its label
_LANGUAGE = re.compile(r"^(python|py|code)$", re.I)


class Parser:
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


def split(lines: list[str], parser: Parser) -> tuple[str, str]:
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
    text = "\n".join(_items(untagged(line)) for line in prose)
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text, "\n".join(code).strip()


def _may_begin(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return bool(re.match(r"(?:#|@|import |from |def |class |with |for |if |[A-Za-z_][\w.,\[\] ]*(?:=|\())", first))


def unglued(text: str) -> list[str]:
    """The lines, with a heading that got glued to the end of a line of code on a line of its own."""
    lines: list[str] = []
    for line in text.splitlines():
        match = _GLUED.match(line)
        lines += [match[1], match[2]] if match and _python(_parsed(match[1].strip())) else [line]
    return lines


def _items(line: str) -> str:
    """The line, with list items that were glued together on lines of their own, and their label too."""
    parts = _BULLET.sub("\n- ", line)
    return _LABEL.sub("\n- ", parts) if parts.count("\n") > 0 and _LABEL.search(parts.partition("\n")[0]) else parts


def untagged(line: str) -> str:
    """The line without the tags of HTML that Markdown documents have in their prose."""
    return _TAGS.sub("", line)
