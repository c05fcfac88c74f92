"""A whole interview in a browser, and what may happen to it on the way."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from knowledge.questions import Bank
from tests.ui.serving import Server, embedding
from tests.ui.visitor import Visitor

CHAIN_RULE = (
    "With requires_grad PyTorch records every operation of the forward pass in a graph. backward() then goes through "
    "that graph from the loss to the leaves, applies the chain rule at each node, and adds the result to .grad."
)
HOSTILE = (
    '<img src=x onerror="window.attacked=1"> <script>window.attacked=2</script> '
    "![see](http://192.0.2.1/pixel.png) [go](javascript:window.attacked=3)\n\n"
    "```mermaid\ngraph TD; A-->B\n```\n\n$\\href{javascript:window.attacked=4}{x}$ "
    '<iframe srcdoc="<script>parent.attacked=5</script>"></iframe>'
)


def _caught_by(path: Path) -> str:
    first = path.read_text().splitlines()[0]
    found = re.fullmatch(r"# caught by: (\S+)", first)
    assert found, f"{path}: {first}"
    return found[1]


def test_a_whole_interview(visitor: Visitor, bank: Bank, pictures: Path) -> None:
    question = visitor.start_with_code(bank)
    starter = question.starter.strip().splitlines()
    expect(visitor.page.locator("#editor .cm-content")).to_contain_text(starter[0])
    expect(visitor.page.locator("#editor .cm-line")).to_have_count(len(starter))

    visitor.answer(CHAIN_RULE)
    expect(visitor.page.locator("#chat .message.user").last).to_contain_text("from the loss to the leaves")
    expect(visitor.page.locator("#answer textarea")).to_have_value("")

    wrong = bank.submissions(question.id, "wrong")[0]
    result = visitor.submit(wrong.read_text())
    failed = result.locator("li", has=visitor.page.locator(".viva-mark.bad"))
    assert _caught_by(wrong) in failed.locator(".name").all_inner_texts()
    expect(result.locator(".meta")).to_contain_text(re.compile(r"\d s · on cpu · isolation L\d"))
    visitor.page.screenshot(path=pictures / "wrong.png")

    link, shown = visitor.page.url, visitor.messages.count()
    visitor.page.reload()
    expect(visitor.messages).to_have_count(shown)
    expect(visitor.page.locator("#viva-results section")).to_have_count(1)
    expect(visitor.page.locator("#editor .cm-content")).to_contain_text(wrong.read_text().splitlines()[0])
    assert visitor.page.url == link

    result = visitor.submit(bank.submissions(question.id, "right")[0].read_text())
    expect(result.locator(".verdict")).to_have_text(re.compile(r"All \d+ cases passed"))
    expect(visitor.page.locator("#viva-results section").nth(1)).to_be_attached()

    visitor.finish()
    frame = visitor.page.locator(".viva-frame")
    assert "allow-scripts" not in str(frame.get_attribute("sandbox"))
    assert "allow-same-origin" not in str(frame.get_attribute("sandbox"))
    expect(visitor.page.frame_locator(".viva-frame").get_by_role("heading", name=question.title).first).to_be_visible()
    visitor.page.screenshot(path=pictures / "report.png", full_page=True)

    page = visitor.download("Download report", pictures).read_text()
    assert question.title in page
    assert "adds the result to .grad" in page or "applies the chain rule" in page, "what was credited is quoted"
    data = json.loads(visitor.download("JSON", pictures).read_text())
    assert data["questions"][0]["id"] == question.id
    assert question.title in visitor.download("Markdown", pictures).read_text()

    exported = visitor.download("Export session", pictures)
    assert visitor.session not in exported.read_text(), "the link is a secret and stays out of the file"
    messages = visitor.messages.all_inner_texts()
    visitor.open()
    with visitor.page.expect_file_chooser() as chooser:
        visitor.page.locator("#import").click()
    chooser.value.set_files(exported)
    expect(visitor.page.locator(".viva-frame")).to_be_visible()
    assert visitor.messages.all_inner_texts() == messages
    assert visitor.page.url != link
    assert not visitor.foreign, "the browser asks no other server for anything"
    assert not visitor.errors


def test_free_words_start_an_interview(visitor: Visitor, bank: Bank) -> None:
    visitor.open()
    visitor.page.locator("#words textarea").fill("one question about batch normalisation, as an exam please")
    visitor.page.locator("#words textarea").press("Control+Enter")
    expect(visitor.page.locator("#viva-progress")).to_contain_text("Question 1 of 1")
    expect(visitor.page.locator("#viva-progress")).to_contain_text("Exam")
    assert visitor.question(bank).topic == "normalisation"
    expect(visitor.page.locator("#hint")).to_be_disabled()


def test_markup_of_a_candidate_is_shown_and_does_nothing(visitor: Visitor) -> None:
    visitor.open()
    visitor.start(framework="PyTorch", topic="Deployment")
    visitor.answer(HOSTILE)
    said = visitor.page.locator("#chat .message.user").last
    expect(said).to_contain_text('<img src=x onerror="window.attacked=1">')
    expect(said).to_contain_text("![see](")
    assert said.locator("img, script, iframe, svg[id^=mermaid]").count() == 0
    assert said.locator("a[href^='javascript']").count() == 0
    visitor.page.reload()
    expect(visitor.page.locator("#chat .message.user").last).to_contain_text("<script>window.attacked=2</script>")
    visitor.press("skip")
    visitor.finish()
    expect(visitor.page.locator(".viva-frame")).to_be_visible()
    assert visitor.page.evaluate("window.attacked") is None
    assert not visitor.foreign


def test_a_second_tab_is_told_that_the_first_went_on(visitor: Visitor) -> None:
    visitor.open()
    visitor.start(framework="PyTorch", topic="Autograd", questions=2)
    other = visitor.tab()
    other.goto(visitor.page.url)
    expect(other.locator("#chat .message-row")).to_have_count(visitor.messages.count())
    visitor.press("skip")
    visitor.press("hint") if not visitor.ended else None
    other.locator("#answer textarea").fill("My answer to the question that I still see.")
    other.locator("#send").click()
    expect(other.locator("#viva-notice")).to_contain_text("went on")
    expect(other.locator("#answer textarea")).to_have_value("My answer to the question that I still see.")
    expect(other.locator("#chat .message-row")).to_have_count(visitor.messages.count())
    other.locator("#send").click()
    expect(other.locator("#chat .message.user").last).to_contain_text("that I still see")


def test_two_people_have_two_interviews(browser: Browser, visitor: Visitor) -> None:
    another = Visitor(browser, visitor.url)
    try:
        for person, topic in ((visitor, "Autograd"), (another, "Deployment")):
            person.open()
            person.start(framework="PyTorch", topic=topic, questions=2)
        assert visitor.session != another.session
        visitor.answer("The first person writes this sentence.")
        another.answer("The second person writes that sentence.")
        assert "second person" not in visitor.page.locator("#chat").inner_text()
        assert "first person" not in another.page.locator("#chat").inner_text()
    finally:
        another.close()


@pytest.mark.parametrize(
    "link", ["0" * 32, "nonsense", "../../etc/passwd", "<script>window.attacked=1</script>"], ids=lambda link: link[:12]
)
def test_an_unknown_link_says_so_and_offers_a_start(visitor: Visitor, link: str) -> None:
    visitor.open(link)
    expect(visitor.page.locator("#viva-notice")).to_contain_text("no interview under this link")
    expect(visitor.page.locator("#start")).to_be_visible()
    assert visitor.page.evaluate("window.attacked") is None


def test_what_cannot_be_taken_stays_in_its_box(visitor: Visitor) -> None:
    visitor.open()
    visitor.start(framework="PyTorch", topic="Deployment")
    visitor.page.locator("#send").click()
    expect(visitor.page.locator("#viva-notice")).to_contain_text("nothing in the answer box")
    long = "word " * 20_000
    visitor.page.locator("#answer textarea").fill(long)
    visitor.page.locator("#send").click()
    expect(visitor.page.locator("#viva-notice")).to_contain_text("100,000 characters")
    expect(visitor.page.locator("#answer textarea")).to_have_value(long)
    visitor.answer("A short answer is taken.")
    expect(visitor.page.locator("#viva-notice")).not_to_contain_text("characters")


def test_ending_asks_first(visitor: Visitor) -> None:
    visitor.open()
    visitor.start(framework="PyTorch", topic="Deployment", questions=3)
    visitor.page.locator("#end").click()
    visitor.page.locator("#stay").click()
    expect(visitor.page.locator("#stop")).to_be_hidden()
    visitor.page.locator("#end").click()
    visitor.page.locator("#stop").click()
    expect(visitor.page.locator(".viva-frame")).to_be_visible()
    expect(visitor.page.locator("#composer")).to_be_hidden()


def test_inside_a_frame_of_another_site(visitor: Visitor, server: Server, space: str) -> None:
    with embedding(space, server.url) as outer:
        page = visitor.context.new_page()
        page.goto(outer)
        inner = page.frame_locator("iframe")
        inner.locator("#start").click()
        expect(inner.locator("#viva-progress")).to_contain_text("Question 1 of 3", timeout=90_000)
        inner.locator("#answer textarea").fill("Said inside the frame.")
        inner.locator("#send").click()
        expect(inner.locator("#chat .message.user").last).to_contain_text("inside the frame", timeout=90_000)


def test_a_site_that_is_not_named_may_not_embed_it(visitor: Visitor, server: Server, space: str) -> None:
    with embedding(space.replace("localhost", "127.0.0.1"), server.url) as outer:
        page = visitor.context.new_page()
        page.goto(outer)
        refused = [frame for frame in page.frames if frame.parent_frame and frame.url.startswith("chrome-error:")]
        assert refused, [frame.url for frame in page.frames]
