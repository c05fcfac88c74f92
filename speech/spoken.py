"""Markdown as a person would read it out: sentences without code, in which names are said as people say them.

Code is not read out but referred to: nobody follows brackets by ear, and the page shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from speech.pronounce import say_name, say_prose

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

CODE, TABLE, FORMULA, DETAILS = (
    "See the code on the page.",
    "See the table on the page.",
    "the formula on the page",
    "The details are on the page.",
)
EXAMPLE = "There is an example on the page."
_NAME = re.compile(r"@?\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_CALL = re.compile(rf"({_NAME.pattern})\([^()]*\)")
_SETTING = re.compile(r"([A-Za-z_]\w*)\s*=\s*([\w.+-]+)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_TUPLE = re.compile(r"\(([A-Za-z_]\w*(?:, [A-Za-z_]\w*)*),?\)")
_EXPRESSION = "the code on the page"
_DENSE = re.compile(r"\S*[∂∑∏∫ᵀᵢⱼₖₜ]\S*(?:\s*[·=+−/*-]?\s*\S*[∂∑∏∫ᵀᵢⱼₖₜ]\S*)*")
_TEX = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_END = re.compile(r"(?<=[.!?…])[\"”’)\]]*\s+(?=[\"“‘(]?[A-Z0-9])")
_SHORT_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|Dr|Mr|Mrs|No|Fig)\.|\b[A-Z]\.)$")
LONGEST = 320  # characters read in one breath; a longer sentence is cut at a comma, so that the first sound comes soon


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def sentences(markdown: str) -> list[str]:
    """What to read out, one sentence after the other: plain words that any voice can read. Never an empty string."""
    found: list[str] = []
    for text in _blocks(_TEX.sub(FORMULA, markdown)):
        for sentence in _split(text):
            said = _said(sentence)
            if any(letter.isalnum() for letter in said) and (not found or found[-1] != said):
                found += _breaths(said)
    return found


def _blocks(markdown: str) -> Iterator[str]:
    """The paragraphs, items and headings as text, in which code spans stand between \\x02 and \\x03."""
    tokens = _parser().parse(markdown.replace("\x02", "").replace("\x03", ""))
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type in ("fence", "code_block"):
            yield CODE
        elif token.type == "table_open":
            at = _close(tokens, at)
            yield TABLE
        elif token.type == "bullet_list_open" and _technical(tokens[at : _close(tokens, at)]):
            at = _close(tokens, at)
            yield DETAILS
        elif token.type == "inline":
            yield _inline(token)
        at += 1


def _close(tokens: list[Token], at: int) -> int:
    """The index of the token that closes the one at `at`."""
    closing, depth = tokens[at].type.replace("_open", "_close"), tokens[at].level
    return next(i for i in range(at, len(tokens)) if tokens[i].type == closing and tokens[i].level == depth)


def _technical(tokens: list[Token]) -> bool:
    """Whether a list is a specification to look at rather than something to listen to: most items hold code."""
    items = [token for token in tokens if token.type == "inline"]
    return 2 * sum(any(child.type == "code_inline" for child in item.children or ()) for item in items) >= len(items)


def _inline(token: Token) -> str:
    parts = []
    for child in token.children or ():
        if child.type == "code_inline":
            parts.append(f"\x02{child.content}\x03")
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "text":
            parts.append(child.content)
    text = "".join(parts).strip()
    return text if not text or text[-1] in ".!?:…" else f"{text}."


def _split(text: str) -> Iterator[str]:
    """Sentences; a code span is never cut."""
    start = 0
    for end in _END.finditer(text):
        before = text[start : end.start()]
        if _SHORT_END.search(before) or before.count("\x02") != before.count("\x03"):
            continue
        yield before
        start = end.end()
    yield text[start:]


def _said(sentence: str) -> str:
    """One sentence in speakable words."""
    codes = re.findall("\x02(.*?)\x03", sentence)
    if sentence.startswith(("For example", "Example")) and (
        "[" in sentence or any(_speakable(code) is None for code in codes)
    ):
        return EXAMPLE
    pieces = re.split("\x02(.*?)\x03", _DENSE.sub(FORMULA, sentence) if not codes else sentence)
    parts = []
    for number, piece in enumerate(pieces):
        if number % 2:
            parts.append(_speakable(piece) or _EXPRESSION)
        else:
            words = say_prose(_DENSE.sub(FORMULA, piece))
            parts.append(f"{' ' * piece[:1].isspace()}{words}{' ' * piece[-1:].isspace()}")
    said = " ".join("".join(parts).split())
    return said[:1].upper() + said[1:]


def _speakable(code: str) -> str | None:
    """A code span as it is said, or None where it has to be seen."""
    code = code.strip()
    if _NUMBER.fullmatch(code):
        return say_prose(code)
    if _NAME.fullmatch(code):
        return say_name(code)
    if call := _CALL.fullmatch(code):
        return say_name(call[1])
    if setting := _SETTING.fullmatch(code):
        value = setting[2]
        return f"{say_name(setting[1])} equals {(say_prose if _NUMBER.fullmatch(value) else say_name)(value)}"
    if names := _TUPLE.fullmatch(code):
        *first, last = map(say_name, names[1].split(", "))
        return f"{', '.join(first)} and {last}" if first else last
    return None


def _breaths(sentence: str) -> list[str]:
    """A sentence, cut at commas where it is too long to wait for."""
    if len(sentence) <= LONGEST:
        return [sentence]
    parts = [""]
    for clause in re.split(r"(?<=[,;:])\s+", sentence):
        if parts[-1] and len(parts[-1]) + len(clause) > LONGEST:
            parts.append(clause)
        else:
            parts[-1] = f"{parts[-1]} {clause}".strip()
    return parts
