"""Strangers' text in every field, opened in a real browser: nothing runs, nothing is fetched, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from report import sample_bank as bank
from report.build import build
from report.html import render_html
from report.text import visible
from tests.report import sessions as made

MARK = "document.documentElement.dataset.hit='1'"
FETCH = "http://127.0.0.1:9/stolen"
ACTIVE = {
    "script": f"<script>{MARK}</script>",
    "image": f'<img src=x onerror="{MARK}"><img src="{FETCH}">',
    "svg": f'<svg onload="{MARK}"><script>{MARK}</script></svg>',
    "breaks out of attributes": f"\" autofocus onfocus={MARK} x='\" onmouseover='{MARK}' tabindex=1 ",
    "breaks out of elements": f"</title></style></textarea></pre></code></svg>--><script>{MARK}</script>",
    "style": f'<style>@import "{FETCH}"; body {{ background: url({FETCH}) }}</style>',
    "sheet": f'<link rel=stylesheet href="{FETCH}"><link rel=icon href="{FETCH}">',
    "frame": f'<iframe src="{FETCH}" srcdoc="<script>parent.{MARK}</script>"></iframe><object data="{FETCH}"></object>',
}
QUIET = {
    "redirect": f'<meta http-equiv=refresh content="0;url={FETCH}"><base href="{FETCH}"><form action="{FETCH}"><input>',
    "markdown": f"![x]({FETCH}) [x](javascript:{MARK}) <javascript:{MARK}> [y]: {FETCH} \n\n# big\n\n![y]",
    "links": f"[a](  JaVaScRiPt:{MARK}) [b](data:text/html,<script>{MARK}</script>) javascript:{MARK}",
    "templates": "{{ 7 * 7 }} {% raw %} {# #} ${7*7} #{7*7} {{ report.__class__ }}",
    "formulas": r"$$\href{javascript:alert(1)}{x}$$ \(x\) =HYPERLINK(1) +1 -1 @x",
    "controls": "\x00\x01\x07\x08\x1b[31m\x7f\x85\ufeff\ufffe",
    "directions": "\u202eevil\u202c \u2066x \u200f שלום עולם \u0645\u0631\u062d\u0628\u0627",
    "scripts": "漢字かな 한국어 👩‍💻🏳️‍🌈 Z̸̡͑a̷l̴g̵o̶ \ud83d",
    "fences": "``` ```` ~~~ ```python\nx\n```\n\n---\n\n> q\n\n| a |\n|---|\n",
    "entities": "&lt;b&gt; &#60; &amp;amp; <!-- ]]> <![CDATA[ <?php",
    "line ends": "a\r\nb\rc\u2028d\u2029e",
}


@dataclass
class Seen:
    """What a page did."""

    requests: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


def opened(page: Page, path: Path, html: str) -> Seen:
    """Open the text as a file in the browser, move over everything, and say what happened."""
    seen = Seen()
    path.write_text(html, encoding="utf-8")
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("requestfailed", lambda request: seen.blocked.append(f"{request.failure} {request.url}"))
    page.on("pageerror", lambda error: seen.errors.append(error.message))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(element => { element.open = true })")
    page.evaluate("document.querySelectorAll('[tabindex],[onfocus]').forEach(element => element.focus())")
    seen.requests = [url for url in seen.requests if url != path.as_uri()]
    return seen


def was_hit(page: Page) -> bool:
    return bool(page.evaluate("'hit' in document.documentElement.dataset"))


@pytest.mark.parametrize("text", ACTIVE.values(), ids=ACTIVE.keys())
def test_the_trap_works_where_nothing_is_escaped(page: Page, tmp_path: Path, text: str) -> None:
    """The control: each of these texts does harm in a page that takes it as it is."""
    seen = opened(page, tmp_path / "page.html", f'<!doctype html><title>x</title><p title="{text}">{text}</p>')
    assert was_hit(page) or seen.requests


@pytest.mark.parametrize("text", (ACTIVE | QUIET).values(), ids=(ACTIVE | QUIET).keys())
def test_nothing_runs_is_fetched_or_lost(page: Page, tmp_path: Path, text: str) -> None:
    session = made.with_strings(made.mixed(), lambda own: f"{text} {own} {text}")
    seen = opened(page, tmp_path / "report.html", render_html(build(session, 0.0)))
    assert not was_hit(page)
    assert seen == Seen()
    assert page.locator("script,iframe,object,embed,img,form,input,link,base,video,audio").count() == 0
    assert page.locator("meta[http-equiv=refresh i], style:not(head > style)").count() == 0
    harmful = """[...document.querySelectorAll('*')].flatMap(element => [...element.attributes]
        .filter(a => a.name.startsWith('on') || a.name === 'style' || a.name === 'src'
            || (a.name.endsWith('href') && !/^(#|https?:)/.test(a.value))).map(a => a.name + '=' + a.value))"""
    assert page.evaluate(harmful) == []
    assert page.locator("article").count() == 5
    asked = visible(f"{text} May I call torch.sigmoid inside backward? {text}").replace("\ud83d", "\ufffd")
    assert asked in page.locator(".candidate .said").all_text_contents()
    code = visible(f"{text} {bank.SWISH_CODE} {text}").replace("\ud83d", "\ufffd")
    assert code.removesuffix("\n") in [shown.removesuffix("\n") for shown in page.locator(".code").all_text_contents()]


def test_the_policy_of_the_page_stops_what_would_get_through(page: Page, tmp_path: Path) -> None:
    html = render_html(build(made.strong()))
    planted = html.replace("</main>", "".join(ACTIVE.values()) + "</main>")
    assert planted != html
    seen = opened(page, tmp_path / "report.html", planted)
    assert not was_hit(page)
    assert sorted(f"csp {url}" for url in seen.requests) == sorted(seen.blocked)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 50_000, "y" * 50_000),
        ("word " * 10_000, "line\n" * 10_000),
        ("[" * 50_000, "`" * 50_000),
        ("漢" * 50_000, "\U0001f469\u200d" * 25_000),
    ],
    ids=["unbroken", "long", "nested", "wide"],
)
def test_fifty_thousand_characters_break_nothing(page: Page, tmp_path: Path, text: str, code: str) -> None:
    session = made.one_answer(text, code)
    question = session.results[0].question
    hostile = made.result_of(session, 0, question=made.with_model_answer(question, text))
    opened(page, tmp_path / "report.html", render_html(build(hostile)))
    assert page.locator(".said").first.text_content() == text
    width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width == [390, 390]
