"""HTML, Markdown, JSON and PDF say the same, and none of them acts on a stranger's text."""

from __future__ import annotations

import html as html_module
import importlib
import io
import json
import re
import sys
from collections.abc import Callable, Sequence

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from playwright.sync_api import Browser

from domain import Session, UserError
from report import pdf
from report.build import build
from report.html import render_html, render_print
from report.json import render_json
from report.markdown import block, line, render_markdown
from report.model import Report
from report.schema import PATH, schema
from report.text import visible
from tests.report import sessions as made
from tests.report.test_hostile import ACTIVE, QUIET

kinds = pytest.mark.parametrize("make", made.KINDS.values(), ids=made.KINDS.keys())
hostile = pytest.mark.parametrize("text", (ACTIVE | QUIET).values(), ids=(ACTIVE | QUIET).keys())


def facts(report: Report) -> list[str]:
    """Sentences that every format has to tell."""
    found = [report.public_id, report.overall_text, report.state_text if report.state != "finished" else ""]
    found += [topic.score.text for topic in report.topics if topic.score]
    found += [report.study_text] if report.questions else []
    found += [*report.notices, *(item.value for item in report.environment), report.ungraded_text, report.disclaimer]
    found += [report.trend_text, *(topic.level_text for topic in report.topics)]
    found += [passage.title for item in report.study for passage in item.passages]
    found += [text for item in report.disputes for text in (item.says, item.text)]
    found += [report.reader, report.revised_text, *(item.text for item in report.overrides)]
    for again in report.regrades:
        found += [again.judge, again.bank, again.text, *(item.note for item in again.questions)]
        rows = [row for item in again.questions for row in item.differences]
        found += [text for row in rows for text in (row.says, row.before, row.after, row.why)]
    for question in report.questions:
        found += [
            question.title,
            question.facts,
            question.state_text,
            question.judged_by,
            question.rubric,
            *question.reading,
        ]
        found += [question.score.text] if question.score else []
        found += [segment.text.strip() for turn in question.turns for segment in turn.segments]
        for point in question.points:
            found += [point.says, point.label, point.earned, point.correction, point.reason_text, point.confidence_text]
            found += [quote.text for quote in point.quotes]
        for run in question.submissions:
            found += [run.status_text, run.name, run.facts, run.stdout_tail.strip(), run.error]
            found += [text for case in run.cases for text in (case.aspect, case.why)]
            found += run.code.split("\n")
        found += [text for item in question.errata for text in (item.claim, item.fact, item.evidence)]
        found += question.model_code.split("\n")
    return [" ".join(text.removeprefix("https://").split()) for text in found if text.strip()]


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


@kinds
def test_page_and_markdown_tell_every_fact(make: Callable[[], Session]) -> None:
    report = build(make(), 0.0)
    page = squeeze(html_module.unescape(re.sub(r"<[^>]*>", "", render_html(report).partition("</style>")[2])))
    tokens = MarkdownIt().enable("table").parse(render_markdown(report))
    text = squeeze("".join(_plain(tokens)))
    for fact in facts(report):
        assert squeeze(fact) in page
        assert squeeze(fact) in text


def _plain(tokens: Sequence[object]) -> list[str]:
    found: list[str] = []
    for token in tokens:
        children = getattr(token, "children", None)
        found += _plain(children) if children else [getattr(token, "content", "")]
    return found


@kinds
def test_json_holds_the_whole_report_and_follows_the_schema(make: Callable[[], Session]) -> None:
    report = build(make(), 0.0)
    data = json.loads(render_json(report))
    Draft202012Validator(json.loads(PATH.read_text())).validate(data)
    assert [point["says"] for question in data["questions"] for point in question["points"]] == [
        point.says for question in report.questions for point in question.points
    ]


def test_the_published_schema_is_current() -> None:
    assert PATH.read_text() == schema(), "run: python -m report schema -o report/schema.json"
    Draft202012Validator.check_schema(json.loads(schema()))


@pytest.mark.parametrize("change", [{"questions": None}, {"schema": "viva-report/0"}, {"surprise": 1}, {"made_at": 5}])
def test_the_schema_refuses_what_is_no_report(change: dict[str, object]) -> None:
    data = json.loads(render_json(build(made.mixed())))
    validator = Draft202012Validator(json.loads(PATH.read_text()))
    assert validator.is_valid(data)
    assert not validator.is_valid(data | change)


@hostile
def test_json_keeps_strangers_text_and_controls_nothing(text: str) -> None:
    rendered = render_json(build(made.one_answer(text)))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]", rendered)
    (segment,) = json.loads(rendered)["questions"][0]["turns"][0]["segments"]
    assert segment["text"] == text.replace("\ud83d", "\ufffd")


@hostile
def test_markdown_acts_on_nothing(text: str) -> None:
    """A reader that allows raw HTML, tables and images finds the blocks of a harmless report, and no more."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    session = made.mixed()
    harmless = reader.parse(render_markdown(build(made.with_strings(session, lambda own: f"word {own} word"))))
    tokens = reader.parse(render_markdown(build(made.with_strings(session, lambda own: f"{text} {own} {text}"))))
    assert [token.type for token in tokens] == [token.type for token in harmless]
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "hardbreak", "strong_open", "strong_close", "em_open", "em_close"}


@hostile
def test_a_line_and_a_block_come_back_as_they_were(text: str) -> None:
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    (_, inline, _) = reader.parse(line(text))
    assert "".join(child.content for child in inline.children or ()) == " ".join(visible(text).split())
    (fence,) = reader.parse(block(text))
    assert fence.content.rstrip() == visible(text).rstrip()


def test_print_shows_what_is_folded_on_screen(browser: Browser) -> None:
    from pypdf import PdfReader

    page = browser.new_page()
    page.set_content(render_html(build(made.mixed())))
    printed = squeeze("".join(sheet.extract_text() for sheet in PdfReader(io.BytesIO(page.pdf())).pages))
    page.close()
    assert squeeze("each node multiplies the gradient") in printed
    assert squeeze("expected ':'") in printed


def test_without_weasyprint_pdf_is_off_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    assert "WeasyPrint is not installed" in pdf.unavailable()
    with pytest.raises(UserError, match="PDF is off: WeasyPrint is not installed"):
        pdf.render_pdf(build(made.empty()))


def test_a_missing_library_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise OSError("cannot load library 'libpango-1.0-0'")

    monkeypatch.setattr("importlib.import_module", fail)
    assert "cannot load library 'libpango-1.0-0'" in pdf.unavailable()
    assert "apt-get install" in pdf.unavailable()


needs_pdf = pytest.mark.skipif(bool(pdf.unavailable()), reason=pdf.unavailable() or "PDF works")


@kinds
def test_what_is_printed_tells_every_fact(make: Callable[[], Session]) -> None:
    report = build(make(), 0.0)
    page = squeeze(html_module.unescape(re.sub(r"<[^>]*>", "", render_print(report).partition("</style>")[2])))
    assert [fact for fact in facts(report) if squeeze(fact) not in page] == []


@hostile
def test_what_is_printed_escapes_a_strangers_text(text: str) -> None:
    session = made.mixed()
    harmless = render_print(build(made.with_strings(session, lambda own: f"word {own} word")))
    page = render_print(build(made.with_strings(session, lambda own: f"{text} {own} {text}")))
    strange = {"img", "script", "svg", "iframe", "object", "embed", "link", "base", "form", "style", "video", "image"}
    for name in strange:
        assert page.count(f"<{name}") == harmless.count(f"<{name}")


@needs_pdf
def test_the_pdf_tells_every_fact() -> None:
    from pypdf import PdfReader

    report = build(made.mixed(), 0.0)
    sheets = PdfReader(io.BytesIO(pdf.render_pdf(report))).pages
    # Each page's own number stands at its foot, in the midst of what goes over to the next page.
    text = squeeze("".join(sheet.extract_text().rstrip().removesuffix(str(n)) for n, sheet in enumerate(sheets, 1)))
    missing = [fact for fact in facts(report) if squeeze(fact) not in text]
    assert missing == []


@needs_pdf
def test_the_pdf_is_the_same_each_time() -> None:
    report = build(made.one_answer("text"), 0.0)
    assert pdf.render_pdf(report) == pdf.render_pdf(report)


@needs_pdf
def test_the_pdf_opens_no_address() -> None:
    """Also where a stranger's text would get through: the page is planted with every kind of reference."""
    html = importlib.import_module("weasyprint").HTML

    asked: list[str] = []

    class Listening(pdf.NoAddress):
        def __call__(self, url: str) -> object:
            asked.append(url)
            return super().__call__(url)

    planted = render_print(build(made.empty())).replace("</body>", "".join(ACTIVE.values()) + "</body>")
    control = html(string=planted, url_fetcher=Listening()).write_pdf()
    assert control.startswith(b"%PDF")
    assert "http://127.0.0.1:9/stolen" in asked, "the control asks for nothing, so the test would show nothing"
    asked.clear()
    text = "".join(ACTIVE.values()) + "".join(QUIET.values())
    report = build(made.with_strings(made.one_answer("x"), lambda own: f"{text} {own}"))
    html(string=render_print(report), url_fetcher=Listening()).write_pdf()
    assert asked == []
