"""A verdict is disputed, progress is kept under a private link, and what was missed is drilled, in a real browser."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

from playwright.sync_api import expect

from tests.ui.serving import Server
from tests.ui.test_axe import serious_faults
from tests.ui.visitor import Visitor

NONSENSE = "I would look at the logs of the kitchen and then paint the fence green, twice."


def test_a_verdict_is_disputed_by_keyboard_and_shown_beside_the_first(visitor: Visitor, pictures: Path) -> None:
    page = visitor.page
    visitor.open()
    visitor.start(framework="PyTorch", level="Easy", questions=2)
    expect(page.locator("#dispute-interview")).to_have_count(0)
    visitor.answer(NONSENSE)
    for _ in range(4):
        if page.locator("#dispute-interview").count():
            break
        visitor.press("finish")
    box = page.locator("#dispute-interview")
    toggle = box.get_by_role("button", name="That verdict is wrong")
    toggle.focus()
    page.keyboard.press("Enter")
    points = box.get_by_role("radio")
    offered = points.count()
    page.locator("#dispute-interview-again").click()
    expect(page.locator("#viva-notice")).to_contain_text("Choose the verdict that is wrong first")
    points.first.focus()
    page.keyboard.press("Space")
    for _ in range(offered):  # each point is a stop of its own
        if page.evaluate("document.activeElement.tagName") != "TEXTAREA":
            page.keyboard.press("Tab")
    page.keyboard.insert_text("I <b>did</b> say it.")
    seen = visitor.seen
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    looks = page.locator("#dispute-interview-told [role=status] li")
    expect(looks).to_have_count(1)
    expect(looks.locator("dd").nth(1)).not_to_have_text("under way")
    expect(looks).to_contain_text("I <b>did</b> say it.")
    expect(looks.locator("dt")).to_have_text(["First verdict, which counts", "Second look, local judge"])
    expect(points).to_have_count(offered - 1)
    assert visitor.seen > seen
    expect(box.locator("textarea, input[type=text]")).to_have_value("")
    assert serious_faults(page) == []
    page.screenshot(path=pictures / "dispute.png", full_page=True)

    visitor.finish()
    box = page.locator("#dispute-ended")
    box.get_by_role("button", name="That verdict is wrong").click()
    expect(box.locator(".viva-disputes li")).to_have_count(1)
    box.get_by_role("radio").first.check()
    page.locator("#dispute-ended-again").click()
    expect(box.locator(".viva-disputes li")).to_have_count(2)
    expect(box.locator("dd", has_text="under way")).to_have_count(0)
    expect(page.frame_locator(".viva-frame").locator("body")).to_contain_text("You disputed this")
    assert serious_faults(page) == []
    page.screenshot(path=pictures / "dispute-report.png")
    assert not visitor.errors
    assert not visitor.foreign


def test_progress_is_kept_and_what_was_missed_is_drilled(
    visitor: Visitor, server: Server, tmp_path: Path, pictures: Path
) -> None:
    page = visitor.page
    visitor.open()
    drill = page.locator("#mode").get_by_role("radio", name="Drill")
    expect(drill).to_be_disabled()
    expect(page.locator("#viva-drill")).to_contain_text("switch it on in the History tab")
    page.locator("a[data-tab=history]").click()
    page.locator("#profile-name input, #profile-name textarea").fill("Ada <b>L</b>")
    page.locator("#profile-keep").click()
    link = page.locator("#profile-link input, #profile-link textarea")
    expect(link).to_have_value(re.compile(r"/#profile=[0-9a-f]{32}$"))
    private = link.input_value()
    secret = private[-32:]
    expect(page.locator("#profile-on")).to_contain_text("Ada <b>L</b>")
    assert serious_faults(page) == []
    page.screenshot(path=pictures / "profile-new.png")

    page.locator("a[data-tab=interview]").click()
    visitor.start(framework="PyTorch", level="Easy", questions=1)
    visitor.answer(NONSENSE)
    visitor.finish()
    session = visitor.session
    page.locator("a[data-tab=history]").click()
    expect(page.locator("#profile-on")).to_contain_text("1 interview")
    expect(page.locator("#profile-on svg")).not_to_have_count(0)
    expect(page.locator("#profile-new")).to_be_visible()
    visitor.open()  # the link was shown once
    expect(page.locator("#viva-drill")).to_contain_text("next point is due on")
    expect(drill).to_be_disabled()
    expect(page.locator("#profile-new")).to_have_count(0)

    with sqlite3.connect(server.data / "sessions.sqlite3", timeout=30) as stored:  # ten days later
        stored.execute("UPDATE profile_points SET due = due - 864000")
        assert secret not in "".join(map(str, stored.execute("SELECT * FROM profiles").fetchall()))
    visitor.open()
    expect(page.locator("#viva-drill")).to_contain_text("due.")
    drill.check()
    page.locator("#start").click()
    expect(page.locator("article.viva-question")).to_contain_text("because you missed")
    page.locator("a[data-tab=history]").click()
    expect(page.locator("#profile-on")).to_contain_text("due now")
    assert serious_faults(page) == []
    page.screenshot(path=pictures / "profile.png", full_page=True)
    with page.expect_download() as waiting:
        page.locator("#profile-export").click()
    waiting.value.save_as(tmp_path / "profile.json")
    exported = json.loads((tmp_path / "profile.json").read_text())
    assert exported["name"] == "Ada <b>L</b>"
    assert len(exported["logs"]) == 2
    assert exported["points"]

    other = Visitor(visitor.browser, server.url)
    other.page.goto(private)
    other.page.locator("#profile-take").click()
    expect(other.page.locator("#profile-on")).to_contain_text("1 interview")
    assert secret not in other.page.url
    other.page.locator("#profile-leave").click()
    expect(other.page.locator("#profile-keep")).to_be_visible()
    other.close()

    page.locator("#profile-delete").click()
    page.locator("#profile-yes").click()
    expect(page.locator("#viva-notice")).to_contain_text("2 interviews")
    expect(page.locator("#mode").get_by_role("radio", name="Practice")).to_be_checked()
    page.locator("a[data-tab=history]").click()
    expect(page.locator("#profile-keep")).to_be_visible()
    expect(page.locator("#viva-history li")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('viva-profile')") is None
    visitor.open(session)
    expect(page.locator("#viva-notice .bad")).to_be_visible()
    assert not visitor.errors
    assert not visitor.foreign
