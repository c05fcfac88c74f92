"""HTML as plain Markdown that keeps what tells questions from answers: headings, bold lines, lists, tables, details.

Scripts, styles, forms, navigation, pictures and what is hidden are left out. Nothing is fetched, no address is kept.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag, XMLParsedAsHTMLWarning
from bs4.element import NavigableString, PageElement, PreformattedString

DEEPEST = 150  # levels of tags walked one by one; what lies deeper is taken as plain text
_LEFT_OUT = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "math",
        "canvas",
        "iframe",
        "object",
        "embed",
        "video",
        "audio",
        "picture",
        "img",
        "map",
        "head",
        "nav",
        "header",
        "footer",
        "aside",
        "form",
        "button",
        "input",
        "select",
        "textarea",
        "dialog",
    ]
)
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "blockquote",
        "figure",
        "figcaption",
        "address",
        "body",
        "html",
        "center",
        "dl",
        "fieldset",
    ]
)
_HEADINGS = {f"h{depth}": depth for depth in range(1, 7)}
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)


def to_markdown(html: str) -> str:
    """The text of an HTML document or fragment, as Markdown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        soup = BeautifulSoup(html, "html.parser")
    text = "".join(_children(soup, 0))
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _children(tag: Tag, depth: int) -> Iterator[str]:
    for child in tag.children:
        yield from _element(child, depth + 1)


def _element(element: PageElement, depth: int) -> Iterator[str]:
    if isinstance(element, NavigableString):
        if not isinstance(element, PreformattedString):  # a comment, a declaration
            yield _SPACE.sub(" ", str(element))
        return
    if not isinstance(element, Tag) or element.name in _LEFT_OUT or _is_hidden(element):
        return
    if depth > DEEPEST:
        yield f"\n{_plain(element)}\n"
        return
    yield from _tag(element, depth)


def _tag(tag: Tag, depth: int) -> Iterator[str]:
    name = tag.name
    if name in _HEADINGS:
        yield f"\n\n{'#' * _HEADINGS[name]} {_line(tag, depth)}\n\n"
    elif name == "summary":
        yield f"\n\n<summary>{_line(tag, depth)}</summary>\n"
    elif name == "details":
        yield f"\n\n{''.join(_children(tag, depth))}\n</details>\n"
    elif name == "pre":
        yield f"\n\n{_fenced(tag.get_text())}\n\n"
    elif name in ("code", "kbd", "samp", "tt"):
        text = _SPACE.sub(" ", tag.get_text())
        yield f"`{text}`" if text.strip() and "`" not in text else text
    elif name == "dt":
        yield f"\n\n**{_line(tag, depth).strip('*')}**\n\n"
    elif name in ("b", "strong"):
        text = "".join(_children(tag, depth)).strip()
        yield f"**{text}** " if text and "\n" not in text and "**" not in text else text
    elif name in ("ul", "ol"):
        yield from _list(tag, depth)
    elif name == "table":
        yield from _table(tag, depth)
    elif name == "br":
        yield "\n"
    elif name == "hr":
        yield "\n\n"
    elif name in _BLOCKS or name in ("dd", "li", "tr", "caption"):
        yield f"\n\n{''.join(_children(tag, depth)).strip()}\n\n"
    else:
        yield from _children(tag, depth)


def _list(tag: Tag, depth: int) -> Iterator[str]:
    start = str(tag.get("start") or "1")
    number = int(start) if start.isdecimal() and len(start) < 6 else 1
    yield "\n\n"
    for item in tag.find_all("li", recursive=False):
        mark = f"{number}. " if tag.name == "ol" else "- "
        yield f"{mark}{''.join(_children(item, depth + 1)).strip()}\n"
        number += 1
    yield "\n"


def _table(tag: Tag, depth: int) -> Iterator[str]:
    """A table as rows of pipes; one with code or a single column as its cells in order."""
    rows = [row.find_all(["td", "th"], recursive=False) for row in tag.find_all("tr")]
    rows = [row for row in rows if row]
    if not rows or max(map(len, rows)) == 1 or tag.find("pre"):
        yield from (f"\n\n{''.join(_children(cell, depth)).strip()}\n\n" for row in rows for cell in row)
        return
    yield "\n\n"
    for number, row in enumerate(rows):
        cells = [_line(cell, depth).replace("|", "\\|") for cell in row]
        yield f"| {' | '.join(cells)} |\n"
        if number == 0:
            yield f"|{'---|' * len(cells)}\n"
    yield "\n"


def _line(tag: Tag, depth: int) -> str:
    """What the tag holds, on one line."""
    return _SPACE.sub(" ", "".join(_children(tag, depth))).strip()


def _plain(tag: Tag) -> str:
    """All text of a tag, walked without recursion."""
    parts = [
        str(text)
        for text in tag.descendants
        if isinstance(text, NavigableString)
        and not isinstance(text, PreformattedString)
        and (text.parent is None or text.parent.name not in _LEFT_OUT)
    ]
    return _SPACE.sub(" ", " ".join(parts)).strip()


def _fenced(code: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code.strip(chr(10))}\n{fence}"


def _is_hidden(tag: Tag) -> bool:
    return tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style") or "")))
