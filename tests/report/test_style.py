"""The page can be read: contrast, structure and width, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from domain import Session
from report.build import build
from report.html import render_html
from tests.report import sessions as made

STYLE = (Path(__file__).parents[2] / "report/templates/style.css").read_text()
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in STYLE.split("@media screen")[:2])
PAIRS = [
    *((ink, ground) for ink in ("ink", "quiet", "accent") for ground in ("ground", "card", "code")),
    *((name, f"{name}-ground") for name in ("met", "wrong", "missing", "ungraded")),
    *(("ink", f"{name}-ground") for name in ("met", "wrong", "missing", "ungraded")),
]
kinds = pytest.mark.parametrize("make", made.KINDS.values(), ids=made.KINDS.keys())


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_text_has_enough_contrast(theme: dict[str, str], ink: str, ground: str) -> None:
    dark, light = sorted((luminance(theme[ink]), luminance(theme[ground])))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@kinds
def test_the_page_has_an_orderly_structure(make: Callable[[], Session]) -> None:
    html = render_html(build(make()))
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert html.count("<main>") == html.count("<header") == html.count("<footer>") == 1
    assert html.count("<table>") + html.count('<table class="cases">') - html.count("<caption>") in (0, 1)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) - {"questions"} <= set(ids)
    assert set(re.findall(r'aria-labelledby="([^"]+)"', html)) <= set(ids)


@kinds
def test_every_verdict_has_a_word_and_an_icon(make: Callable[[], Session]) -> None:
    html = render_html(build(make()))
    badges = re.findall(r'<span class="badge \w+"><span aria-hidden="true">[✓○✗?]</span> \w[^<]+</span>', html)
    assert html.count('class="badge') == len(badges)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_the_page_is_never_wider_than_the_window(browser: Browser, width: int, scheme: str) -> None:
    page = browser.new_page(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page.set_content(render_html(build(made.mixed())))
    page.evaluate("document.querySelectorAll('details').forEach(element => { element.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.close()
    assert ground == "rgb({}, {}, {})".format(*bytes.fromhex((DARK if scheme == "dark" else LIGHT)["ground"][1:]))
