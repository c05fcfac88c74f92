"""The Library tab in a browser."""

from __future__ import annotations

from playwright.sync_api import expect

from knowledge.questions import Bank
from tests.ui.visitor import Visitor


def test_the_library_is_searched_read_and_closed_in_an_exam(visitor: Visitor, bank: Bank) -> None:
    page = visitor.page
    visitor.open()
    visitor.start(framework="PyTorch", topic="Normalisation")
    question = visitor.question(bank)
    page.locator("a[data-tab=library]").click()
    expect(page.locator("#composer")).to_be_hidden()
    page.locator("#query").locator("input, textarea").fill(question.title)
    page.keyboard.press("Enter")
    entry = page.locator(".viva-entry.question").filter(has=page.locator(".name", has_text=question.title)).first
    entry.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(entry).to_contain_text("is open in your interview")
    note = page.locator(".viva-entry.note").first
    note.locator("summary").click()
    expect(note.locator("p").first).to_be_visible()
    assert "session=" in page.url, "the tab keeps the interview's link"

    visitor.open()
    visitor.start(framework="PyTorch", topic="Normalisation", mode="Exam")
    page.locator("a[data-tab=library]").click()
    expect(page.locator("#viva-found")).to_contain_text("closed while an exam is open")
    expect(page.locator("#search")).to_be_disabled()
    page.locator("#query").locator("input, textarea").fill("normalisation")
    page.keyboard.press("Enter")
    expect(page.locator("#viva-found")).to_contain_text("closed while an exam is open")
    assert page.locator(".viva-entry").count() == 0
