"""axe-core finds no serious fault: on every tab, in each state of an interview, in light and in dark colours."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page, expect

from knowledge.questions import Bank
from tests.ui.visitor import Visitor

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
# axe does not see the filter that darkens the editor's colours in light mode, so that is worked out here.
_EDITOR = """() => {
  const light = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const rgb = (text) => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const [r, g, b] = [0.2126, 0.7152, 0.0722];
  const filtered = (element) => {
    let color = rgb(getComputedStyle(element).color);
    const filter = getComputedStyle(element).filter;
    if (filter === "none") return color;
    const [bright, s] = filter.match(/[0-9.]+/g).map(Number);
    color = color.map((v) => v * bright);
    const grey = color[0] * r + color[1] * g + color[2] * b;
    return color.map((v) => Math.min(255, Math.max(0, grey + (v - grey) * s)));
  };
  const ground = light(rgb(getComputedStyle(document.querySelector("#editor .cm-content")).backgroundColor));
  return [...document.querySelectorAll("#editor .cm-line span")].map((span) => {
    const own = light(filtered(span));
    const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
    return ratio < 4.5 ? `editor contrast ${ratio.toFixed(2)}: ${span.textContent}` : "";
  }).filter(Boolean);
}"""  # noqa: E501
_RUN = """async () => (await axe.run({exclude: [".cm-scroller"]}, {resultTypes: ["violations"]})).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id}: ${found.nodes.map((node) => node.html.slice(0, 160)).join(" ; ").slice(0, 600)}`)"""


def serious_faults(page: Page) -> list[str]:
    """Serious and critical faults in the page's colours, then in the other ones."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found: list[str] = []
    for _ in range(2):
        page.wait_for_function("document.getAnimations().every((one) => one.playState !== 'running')")
        colours = "dark" if page.evaluate("document.body.classList.contains('dark')") else "light"
        found += [f"{colours} {fault}" for fault in page.evaluate(_RUN)]
        if page.locator("#editor .cm-content").is_visible():
            found += [f"{colours} {fault}" for fault in page.evaluate(_EDITOR)]
        page.get_by_role("button", name="Switch between light and dark").click()
    return found


def test_axe_finds_a_planted_fault(visitor: Visitor) -> None:
    visitor.page.set_content("<html lang=en><title>x</title><main><h1>x</h1><button></button></main></html>")
    visitor.page.evaluate(AXE)
    assert any(fault.startswith("button-name") for fault in visitor.page.evaluate(_RUN))


def test_no_serious_fault_on_any_tab_or_in_any_state(visitor: Visitor, bank: Bank) -> None:
    page, faults = visitor.page, {}
    question = visitor.start_with_code(bank, questions=2)
    faults["asked"] = serious_faults(page)
    visitor.submit(bank.submissions(question.id, "wrong")[0].read_text())
    page.locator("#try-code").click()
    expect(page.locator("#viva-tried section")).to_be_visible()
    page.locator("#end").click()
    expect(page.locator("#stop")).to_be_visible()
    faults["results"] = serious_faults(page)
    page.locator("#stay").click()
    page.locator("a[data-tab=library]").click()
    page.locator("#browse").click()
    page.locator(".viva-entry.note summary").first.click()
    page.locator(".viva-entry:has(.erratum)").first.evaluate("(entry) => { entry.open = true; }")
    faults["library"] = serious_faults(page)
    page.locator("a[data-tab=history]").click()
    expect(page.locator("#viva-history li").first).to_be_visible()
    faults["history"] = serious_faults(page)
    page.locator("a[data-tab=about]").click()
    page.locator("#delete").click()
    expect(page.locator("#delete-yes")).to_be_visible()
    faults["about"] = serious_faults(page)
    page.locator("a[data-tab=interview]").click()
    visitor.finish()
    expect(page.locator(".viva-frame")).to_be_visible()
    faults["report"] = serious_faults(page)
    visitor.open("0" * 32)
    expect(page.locator("#viva-notice .bad")).to_be_visible()
    faults["setup"] = serious_faults(page)
    told = [f"{state}: {fault}" for state, found in faults.items() for fault in found]
    assert not told, "\n".join(told)
