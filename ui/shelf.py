"""Entries of the library as HTML. Markdown is rendered without raw HTML and images, and then sanitised."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import nh3

from domain import Entry
from ui.text import html

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

OPEN = "This question is open in your interview. What it asks is there; the rest is shown here once it is closed."
CLOSED = "The library is closed while an exam is open. It opens again with your report."
NOTHING = "Nothing fits these words. Try the name of a function, a symptom, or fewer words."
_TAGS = {"p", "br", "em", "strong", "code", "pre", "blockquote", "a", "ul", "ol", "li", "h4", "h5"}
_TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    return parser.enable(["table"]).disable(["image", "html_block", "html_inline"])


def markdown_html(text: str) -> str:
    """Markdown as HTML of a few harmless tags. Links open in a tab of their own."""
    made = nh3.clean(
        _parser().render(text),
        tags=_TAGS,
        attributes={"a": {"href", "target"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    # What is wider than a phone scrolls by itself, and can be reached by keyboard for that.
    return made.replace("<pre>", '<pre tabindex="0">')


def entry_html(entry: Entry, is_open: bool = False) -> str:
    """One entry, folded: what it is called and is about, and inside what it says, its sources and errata."""
    tags = "".join(f"<li>{html(tag)}</li>" for tag in (entry.tags or ("study note",)))
    name = f'<span class="name">{html(entry.title)}</span><ul class="viva-tags">{tags}</ul>'
    if is_open:
        body = f"<p>{html(OPEN)}</p>"
    else:
        body = markdown_html(entry.text)
        for erratum in entry.errata:
            body += (
                f'<div class="erratum"><h5>A source errs</h5><p>“{html(erratum.claim)}”</p>'
                f"<p>{html(erratum.fact)}</p><p><b>Shown by:</b> {html(erratum.evidence)}</p></div>"
            )
        if entry.sources:
            rows = "".join(f"<li>{_source(source)}</li>" for source in entry.sources)
            body += f'<div class="sources"><h5>Sources</h5><ul>{rows}</ul></div>'
    return f'<details class="viva-entry {html(entry.kind)}"><summary>{name}</summary><div>{body}</div></details>'


def _source(source: str) -> str:
    if not source.startswith(("https://", "http://")):
        return html(source)
    return f'<a href="{html(source)}" target="_blank" rel="noopener noreferrer">{html(source.split("://", 1)[1])}</a>'


def entries_html(entries: Sequence[Entry], query: str, open_id: str = "") -> str:
    """What was found, with a heading that a screen reader is told."""
    if not entries:
        return f'<p class="viva-empty">{html(NOTHING)}</p>'
    count = f"{len(entries)} found" if query.strip() else f"Everything: {len(entries)} notes and questions"
    body = "".join(entry_html(entry, entry.kind == "question" and entry.id == open_id) for entry in entries)
    return f'<p class="viva-count">{html(count)}</p>{body}'
