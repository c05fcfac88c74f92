"""What survives a reload, a second tab and the back button; trying, stopping and deleting."""

from __future__ import annotations

from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from knowledge.questions import Bank
from tests.ui.serving import Server
from tests.ui.visitor import Visitor

_ORDER = """() => {
  window.order = [];
  const messages = () => document.querySelectorAll("#chat .message.user").length, before = messages();
  new MutationObserver(() => {
    if (!window.order.length && document.body.classList.contains("viva-sending")) window.order.push("at work");
    if (window.order.length < 2 && messages() > before) window.order.push("message");
  }).observe(document.body, { attributes: true, childList: true, subtree: true });
}"""
ENDLESS = "while True:\n    pass\n"


@pytest.fixture(scope="module")
def coder(browser: Browser, server: Server, bank: Bank) -> Visitor:
    """Somebody at a question that asks for code. The tests below go on with it, one after the other."""
    person = Visitor(browser, server.url)
    person.start_with_code(bank, questions=2)
    return person


def _reloaded(page: Page) -> None:
    page.reload()
    page.wait_for_function("document.querySelectorAll('#chat .message-row').length > 1")


def _keeps(page: Page, key: str) -> str:
    """JavaScript's idea of whether a draft of that kind is kept."""
    return f"Object.keys(localStorage).some((name) => name.startsWith('viva-draft:') && name.includes(':{key}'))"


def test_drafts_survive_a_reload_until_they_are_sent(coder: Visitor) -> None:
    page, answer = coder.page, coder.page.locator("#answer textarea")
    answer.fill("What I am writing")
    coder.write("draft = 1")
    page.keyboard.press("End")
    page.wait_for_function(_keeps(page, "code"))
    page.wait_for_function(_keeps(page, "answer"))
    _reloaded(page)
    expect(answer).to_have_value("What I am writing")
    expect(page.locator("#editor .cm-content")).to_contain_text("draft = 1")
    coder.press("send")
    page.wait_for_function(f"!({_keeps(page, 'answer')})")
    coder.press("submit-code")
    page.wait_for_function(f"!({_keeps(page, 'code')})")
    _reloaded(page)
    expect(answer).to_have_value("")
    expect(page.locator("#chat .message.user").filter(has_text="What I am writing")).to_have_count(1)


def test_code_can_be_tried_as_often_as_one_likes(coder: Visitor, bank: Bank) -> None:
    page = coder.page
    seen, submitted = coder.seen, page.locator("#viva-results section").count()
    question = coder.question(bank)
    kinds: tuple[Literal["wrong", "right"], ...] = ("wrong", "right")
    for kind, verdict in zip(kinds, ("", "case passed"), strict=True):
        coder.write(bank.submissions(question.id, kind)[0].read_text())
        page.locator("#try-code").click()
        expect(page.locator("#viva-status")).to_contain_text("Your turn")
        expect(page.locator("#viva-tried .verdict")).to_contain_text(verdict)
        expect(page.locator("#viva-tried .viva-cases > li")).to_have_count(1)
        expect(page.locator("#viva-tried")).not_to_contain_text("hidden")
    assert coder.seen == seen, "a trial is no part of the interview"
    assert page.locator("#viva-results section").count() == submitted


def test_a_trial_meets_no_hidden_input(coder: Visitor, bank: Bank) -> None:
    name = coder.question(bank).starter.partition("def ")[2].partition("(")[0]
    coder.write(f"def {name}(*args, **kwargs):\n    print('called')\n    raise ValueError('here')\n")
    coder.page.locator("#try-code").click()
    tried = coder.page.locator("#viva-tried")
    expect(tried.locator(".verdict")).to_have_text("0 of 1 cases passed")
    assert tried.locator("details pre").text_content() == "called\n"


def test_a_run_can_be_stopped(coder: Visitor) -> None:
    page = coder.page
    coder.write(ENDLESS)
    page.locator("#try-code").click()
    page.locator("#cancel").click()
    expect(page.locator("#viva-notice")).to_contain_text("You stopped the run")
    expect(page.locator("#viva-status")).to_contain_text("Your turn")
    seen = coder.seen
    page.locator("#submit-code").click()
    page.locator("#cancel").click()
    page.wait_for_function("(seen) => Number(document.querySelector('#seen input').value) > seen + 1", arg=seen)
    expect(page.locator("#viva-results section").first).to_contain_text("You stopped this run")
    expect(page.locator("#cancel")).to_be_hidden()


def test_a_second_tab_is_told_that_it_went_on_and_ended(coder: Visitor) -> None:
    other = coder.tab()
    other.goto(coder.page.url)
    expect(other.locator("#chat .message-row")).to_have_count(coder.messages.count())
    coder.press("skip")
    expect(other.locator("#viva-moved")).to_contain_text("went on in another tab")
    other.get_by_role("button", name="Show where it stands").click()
    expect(other.locator("#chat .message-row")).to_have_count(coder.messages.count())
    expect(other.locator("#viva-moved")).to_be_hidden()
    coder.finish()
    expect(other.locator("#viva-moved")).to_contain_text("has ended in another tab")
    other.close()


def test_it_stands_in_the_history_of_this_browser_alone(browser: Browser, coder: Visitor) -> None:
    page = coder.page
    page.get_by_role("link", name="History", exact=True).click()
    link = page.locator(f"#viva-history a[href$='{coder.session}']")
    expect(link).to_contain_text("autograd")
    stranger = Visitor(browser, coder.url)
    stranger.page.goto(f"{coder.url}/#history")
    expect(stranger.page.locator("#viva-history")).to_contain_text("No interview yet")
    stranger.close()


def test_the_back_button_leaves_the_interview_and_forward_returns(coder: Visitor) -> None:
    page = coder.page
    coder.open()
    page.locator("#start").click()
    page.wait_for_url("**/?session=*")
    link = page.url
    page.locator("a[data-tab=about]").click()
    page.go_back()
    expect(page.locator("#room")).to_be_visible()
    assert page.url == link
    page.go_back()
    expect(page.locator("#start")).to_be_visible()
    page.go_forward()
    expect(page.locator("#room")).to_be_visible()
    assert page.url == link


def test_deleting_asks_first_and_is_for_good(coder: Visitor) -> None:
    page, deleted = coder.page, coder.session
    page.locator("a[data-tab=about]").click()
    page.locator("#delete").click()
    page.locator("#delete-yes").click()
    expect(page.locator("#viva-notice")).to_contain_text("deleted")
    expect(page.locator("#start")).to_be_visible()
    assert httpx.get(f"{coder.url}/session/{deleted}/state.json").status_code == 404
    page.locator("a[data-tab=history]").click()
    expect(page.locator(f"#viva-history a[href$='{deleted}']")).to_have_count(0)
    assert not coder.errors
    coder.close()


def test_a_pause_and_a_clock_that_runs_out(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open()
    visitor.start(framework="PyTorch", topic="Deployment", questions=2, mode="Exam")
    expect(page.locator(".viva-clock")).to_contain_text("left")
    page.locator(".viva-clock").click()
    expect(page.locator(".viva-clock")).to_have_text("Show time")
    page.locator(".viva-clock").click()
    page.wait_for_function("!document.body.classList.contains('viva-sending')")
    page.locator("#pause").click()
    expect(page.locator("#viva-status")).to_contain_text("Paused")
    expect(page.locator("#skip")).to_be_disabled()
    page.reload()
    page.locator("#resume").click()
    expect(page.locator("#skip")).to_be_enabled()
    page.locator("#answer textarea").fill("What stands in the box when the time is over.")
    page.evaluate("document.querySelector('.viva-clock').dataset.until = Date.now() / 1000 + 1")
    expect(page.locator("#chat .message.user").last).to_contain_text("when the time is over")
    expect(page.locator("#answer textarea")).to_have_value("")


def test_a_slow_network_shows_at_once_that_something_is_at_work(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open()
    visitor.start(framework="PyTorch", topic="Deployment")
    network = visitor.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 800, "downloadThroughput": 50_000, "uploadThroughput": 20_000}
    network.send("Network.emulateNetworkConditions", slow)
    page.locator("#answer textarea").fill("An answer over a slow line.")
    page.evaluate(_ORDER)
    page.locator("#send").click()
    expect(page.locator("#chat .message.user").last).to_contain_text("slow line")
    assert page.evaluate("window.order")[:2] == ["at work", "message"], "told before the server can have answered"
    page.wait_for_function("!document.body.classList.contains('viva-sending')")
    _reloaded(page)
    expect(page.locator("#chat .message.user").last).to_contain_text("slow line")
