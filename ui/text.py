"""Text of others on its way into the page: Markdown that cannot fetch or execute, and HTML that is escaped.

The chat component renders Markdown and sanitises the result, and the Content-Security-Policy lets no foreign image
load. This is the layer before both: a candidate's HTML stays visible as they typed it, and so does an image.
"""

from __future__ import annotations

import re
from html import escape

LONGEST_SHOWN = 8_000  # characters of one message; all of it is stored
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)*?)(?<!`)\1(?!`)", re.DOTALL)
_ANGLE = re.compile(r"(\\*)<")  # one that an odd number of backslashes escapes is text already
_SCHEME = re.compile(r"\]\((?=\s*<?(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:)")  # a link that no browser shall follow
_DEFINITION = re.compile(
    r"^( {0,3})\[(?=[^\]\n]{1,200}\]:)", re.MULTILINE
)  # swallows its line, and makes links elsewhere
_NEWLINE = re.compile(r"(?<=[^\s])[ \t]*\n(?=[^\n])")
_LANGUAGES = frozenset({"python", "py", "pytb", "bash", "sh", "shell", "json", "yaml", "text", "c", "cpp", "cuda"})


def html(text: object) -> str:
    """Escape for HTML text and for attribute values in double or single quotes."""
    return escape(str(text), quote=True)


def _prose(text: str, breaks: bool) -> str:
    parts: list[str] = []
    last = 0
    for code in _INLINE_CODE.finditer(text):
        parts += [_plain(text[last : code.start()], breaks), code.group()]
        last = code.end()
    parts.append(_plain(text[last:], breaks))
    return "".join(parts)


def _plain(text: str, breaks: bool) -> str:
    text = _ANGLE.sub(lambda found: found[0] if len(found[1]) % 2 else f"{found[1]}&lt;", text)
    text = text.replace("![", "!&#91;")
    text = _DEFINITION.sub(r"\1&#91;", _SCHEME.sub("]&#40;", text))
    return _NEWLINE.sub("  \n", text) if breaks else text


def _opening(fence: re.Match[str]) -> str:
    words = fence.group()[fence.end(1) - fence.start() :].split()
    language = words[0].lower() if words else ""
    return fence.group(1) + (language if language in _LANGUAGES else "text" if language else "")


def defuse(markdown: str, *, breaks: bool = False) -> str:
    """Markdown in which HTML shows as typed, an image is text, and a fence names a plain language or none.

    With `breaks` a line ends where the writer ended it, as people expect of what they typed into a box.
    Code spans and fenced blocks keep their characters. A text longer than LONGEST_SHOWN is cut, and says so.
    """
    left_out = len(markdown) - LONGEST_SHOWN
    if left_out > 0:
        markdown = markdown[:LONGEST_SHOWN]
    parts: list[str] = []
    position = 0
    closing = ""
    while opening := _FENCE.search(markdown, position):
        parts += [_prose(markdown[position : opening.start()], breaks), _opening(opening)]
        mark = opening.group(1)
        end = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        found = end.search(markdown, opening.end())
        position = found.end() if found else len(markdown)
        closing = "" if found else f"\n{mark}"
        parts.append(markdown[opening.end() : position])
    parts += [closing, _prose(markdown[position:], breaks)]
    if left_out > 0:
        parts.append(f"\n\n… {left_out:,} more characters, stored in full.")
    return "".join(parts)


def fenced(code: str, language: str = "python") -> str:
    """Code as a fenced block that its own backticks cannot close, cut like any long text."""
    left_out = len(code) - LONGEST_SHOWN
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    mark = "`" * max(3, longest + 1)
    block = f"{mark}{language}\n{code[:LONGEST_SHOWN].rstrip()}\n{mark}"
    return block + (f"\n\n… {left_out:,} more characters, stored in full." if left_out > 0 else "")
