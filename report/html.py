"""Renders a report as one HTML page that needs nothing else: no script, no font, no request.

Everything in a session comes from strangers, the questions too, since a session can be imported. So every string is
escaped by the template engine; Markdown is rendered without raw HTML and images and then sanitised; control
characters and direction overrides are shown as symbols; and a Content-Security-Policy in the page forbids scripts,
forms, frames and requests of any kind, in case one of these fails.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import nh3
from markupsafe import Markup, escape

from report import words
from report.model import Report
from report.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt

_TEMPLATES = Path(__file__).parent / "templates"
_TAGS = {"p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "a"} | {"ul", "ol", "li", "h5", "h6"}
_TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
_MARKDOWN_LIMIT = 20_000
"""Characters. Longer Markdown is shown as plain text: nobody writes it, and hostile nesting gets slow."""


def render_html(report: Report) -> str:
    """The page, UTF-8 text. The same report always gives the same page."""
    style = _style("style.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    page = _environment().get_template("report.html.j2")
    return page.render(report=report, style=Markup(style), policy=policy, method=words.METHOD)  # noqa: S704 - our own file


def render_print(report: Report) -> str:
    """The same report for paper: everything unfolded, with far fewer elements, since each costs a PDF its time."""
    page = _environment().get_template("print.html.j2")
    text = page.render(report=report, style=Markup(_style("print.css")), method=words.METHOD)  # noqa: S704 - our own file
    return text.replace("<br/>", "\n")  # a quarter of all elements; nothing else is written like this


@cache
def _style(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        before_and_after=words.before_and_after,
        count=words.count,
        day=words.day,
        duration=words.duration,
        label=words.label,
        lines=_lines,
        link=_link,
        markdown=_markdown,
        number=words.number,
    )
    return environment


def _finalize(value: object) -> object:
    """Every string that a template prints passes here, before it is escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _lines(code: str) -> list[str]:
    """The lines of a program, without the empty one that its last line end makes."""
    return visible(code).removesuffix("\n").split("\n")


def _link(url: str) -> Markup:
    """A link to a page that the reader may open; anything but http and https stays text."""
    if not url.startswith(("https://", "http://")):
        return escape(visible(url))
    shown = visible(url).split("://", 1)[1].removesuffix("/")
    return Markup('<a href="{}" rel="noopener noreferrer" target="_blank">{}</a>').format(visible(url), shown)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    return parser.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])


def _markdown(text: str) -> Markup:
    """Markdown as HTML of a few harmless tags. Headings move below the page's own."""
    text = visible(text)
    if len(text) > _MARKDOWN_LIMIT:
        return Markup('<p class="said">{}</p>').format(text)
    html = _parser().render(text)
    for high, low in (("h4", "h6"), ("h3", "h6"), ("h2", "h6"), ("h1", "h5")):
        html = html.replace(f"<{high}>", f"<{low}>").replace(f"</{high}>", f"</{low}>")
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704 - sanitised one line above
