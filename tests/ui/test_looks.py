"""How it looks and is used: every width, both colour schemes, the keyboard alone, and no serious fault for a reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from knowledge.questions import Bank
from tests.ui.serving import Server
from tests.ui.visitor import Visitor

_CONTRAST = """(selectors) => {
  const parse = (text) => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = text; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => { for (let e = element; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
  const found = [];
  for (const selector of selectors) for (const element of document.querySelectorAll(selector)) {
    if (!element.getClientRects().length || !element.innerText.trim() || element.disabled) continue;
    const a = light(parse(getComputedStyle(element).color)), b = light(ground(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${selector} ${ratio.toFixed(2)} ${element.innerText.slice(0, 30)}`);
  }
  return found;
}"""  # noqa: E501
_FOCUS = """() => {
  const element = document.activeElement;
  const drawn = [element, element.closest("label"), element.closest(".cm-editor")]
    .some((shown) => shown && getComputedStyle(shown).outlineStyle !== "none");
  return [element.matches(":focus-visible"), drawn, element.outerHTML.slice(0, 200)];
}"""
_TEXT = [
    "#viva-facts span", ".viva-hero h1", ".viva-hero p", ".viva-choice label span", ".viva-steps span",
    "button.primary", "button.secondary", "button.stop", ".viva-small", ".viva-about p", "#chat .message p",
    "#chat code", "#chat h4", ".viva-tags li", ".viva-question p", ".viva-run h3", ".viva-run .verdict",
    ".viva-run .meta", ".viva-cases .aspect", ".viva-cases .why", ".viva-run pre", ".viva-status",
    ".viva-progress span", ".viva-foot", ".viva-notice", "kbd",
    "#record .words", "#read-aloud .words", "#speech-options summary", ".viva-speech p",
]  # fmt: skip


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080)])
def test_it_fits_and_can_be_read(
    browser: Browser, server: Server, bank: Bank, pictures: Path, width: int, height: int, dark: bool
) -> None:
    person = Visitor(browser, server.url, width=width, height=height, dark=dark)
    try:
        name = f"{width}-{'dark' if dark else 'light'}"
        person.open()
        expect(person.page.locator("#start")).to_be_visible()
        person.page.screenshot(path=pictures / f"setup-{name}.png", full_page=width < 500)
        faults = person.page.evaluate(_CONTRAST, _TEXT)
        person.start_with_code(bank, questions=2)
        person.submit("print('hello')\ndef grad_at(f, x):\n    return 26.0\n")
        person.page.screenshot(path=pictures / f"interview-{name}.png", full_page=width < 500)
        faults += person.page.evaluate(_CONTRAST, _TEXT)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        assert person.page.evaluate(
            "[...document.querySelectorAll('#talk, #bench, #composer button, #editor')]"
            ".every((e) => !e.getClientRects().length || e.getBoundingClientRect().right <= innerWidth + 1)"
        )
        assert not faults
    finally:
        person.close()


def test_the_keyboard_alone_is_enough(visitor: Visitor) -> None:
    visitor.open()
    page = visitor.page
    page.locator("#start").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#viva-progress")).to_contain_text("Question 1 of 3")
    page.locator("#answer textarea").focus()
    page.keyboard.insert_text("An answer by keyboard.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#chat .message.user").last).to_contain_text("by keyboard")
    expect(page.locator("#viva-status")).to_contain_text("Your turn")
    for _ in range(6):
        page.keyboard.press("Tab")
        focused, outline, what = page.evaluate(_FOCUS)
        assert focused, what
        assert outline, what


def test_the_editor_is_no_trap(visitor: Visitor, bank: Bank) -> None:
    visitor.start_with_code(bank)
    visitor.write("x = 1")
    visitor.page.keyboard.press("Escape")
    assert visitor.page.evaluate("document.activeElement.id") == "submit-code"


def test_new_messages_and_results_are_announced(visitor: Visitor) -> None:
    visitor.open()
    visitor.start(framework="PyTorch", topic="Deployment")
    assert visitor.page.locator("#chat [role=log][aria-live=polite]").count() == 1
    for region in ("viva-status", "viva-notice", "viva-loading"):
        assert visitor.page.locator(f"#{region} [aria-live=polite]").count() == 1, region


def test_light_and_dark_can_be_switched_and_stay(visitor: Visitor) -> None:
    visitor.open()
    body = visitor.page.locator("body")
    visitor.page.get_by_role("button", name="Switch between light and dark").click()
    assert "dark" in (body.get_attribute("class") or "")
    visitor.page.reload()
    visitor.page.locator("#start").wait_for()
    expect(body).to_have_class(re.compile(r"\bdark\b"))
