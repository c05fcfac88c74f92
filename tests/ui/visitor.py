"""A person at the page: does what people do, and waits for what they wait for."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from domain import Question
from knowledge.questions import Bank

PATIENCE = 120_000  # milliseconds; loading the models is part of the first answer
_QUIET = "() => /Your turn|is over/.test(document.querySelector('#viva-status')?.innerText ?? '')"
_MOVED = f"(seen) => Number(document.querySelector('#seen input')?.value) > seen && ({_QUIET})()"


class Visitor:
    """One tab. `foreign` collects every request to another origin, `errors` what the browser complained of."""

    def __init__(self, browser: Browser, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.browser = browser
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", accept_downloads=True
        )
        expect.set_options(timeout=PATIENCE)
        self.url = url
        self.foreign: list[str] = []
        self.errors: list[str] = []
        self.page = self.tab()

    def tab(self) -> Page:
        """One more tab."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("request", self._request)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def _request(self, request: object) -> None:
        address = str(getattr(request, "url", ""))
        if not address.startswith((self.url, "data:", "blob:")):
            self.foreign.append(address)

    def close(self) -> None:
        """Close the tabs."""
        self.context.close()

    def open(self, session: str = "") -> None:
        """Open the page, or the link of a session."""
        self.page.goto(f"{self.url}/?session={session}" if session else self.url)
        self.page.locator("#viva-top .viva-brand").wait_for()

    def start(
        self, *, framework: str = "", level: str = "", topic: str = "", questions: int = 1, mode: str = ""
    ) -> None:
        """Fill in the form and start; wait for the first question."""
        choices = {"framework": framework, "level": level, "questions": str(questions), "mode": mode}
        for name, value in choices.items():
            if value:
                self.page.locator(f"#{name}").get_by_role("radio", name=value, exact=True).check()
        if topic:
            self.page.locator("#topics input").click()
            self.page.get_by_role("option", name=topic).click()
            self.page.keyboard.press("Escape")
        self.page.locator("#start").click()
        self.page.wait_for_function(_QUIET)

    def start_with_code(self, bank: Bank, questions: int = 1) -> Question:
        """Start interviews on PyTorch until one begins with a question that asks for code; that question."""
        for _ in range(20):
            self.open()
            self.start(framework="PyTorch", topic="Autograd", questions=questions)
            question = self.question(bank)
            if question.check:
                return question
        raise AssertionError("no question on autograd asks for code")

    @property
    def session(self) -> str:
        """The id in the address."""
        found = re.search(r"[?&]session=([0-9a-f]{32})\b", self.page.url)
        assert found, self.page.url
        return found[1]

    @property
    def seen(self) -> int:
        """How many turns the page shows."""
        return int(self.page.locator("#seen input").input_value())

    @property
    def messages(self) -> Locator:
        """The messages of the chat."""
        return self.page.locator("#chat .message-row")

    @property
    def ended(self) -> bool:
        """Whether the report is there."""
        return self.page.locator("#report").is_visible()

    def question(self, bank: Bank) -> Question:
        """The question at hand."""
        title = self.page.locator(".viva-question h2").inner_text()
        return next(question for question in bank.questions.values() if question.title == title)

    def press(self, button: str) -> None:
        """Press a button that sends something, and wait for the interviewer's turn to be over."""
        seen = self.seen
        self.page.locator(f"#{button}").click()
        self.page.wait_for_function(_MOVED, arg=seen)

    def answer(self, text: str) -> None:
        """Write an answer and send it."""
        self.page.locator("#answer textarea").fill(text)
        self.press("send")

    def write(self, code: str) -> None:
        """Put code in the editor, in place of what is there, as a paste does."""
        self.page.locator("#editor .cm-content").click()
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(code)

    def submit(self, code: str) -> Locator:
        """Submit code; the newest result."""
        before = self.page.locator("#viva-results section").count()
        self.write(code)
        self.press("submit-code")
        expect(self.page.locator("#viva-results section")).to_have_count(before + 1)
        return self.page.locator("#viva-results section").first

    def finish(self) -> None:
        """Go on until the interview is over."""
        for _ in range(12):
            if self.ended:
                return
            self.press("finish")
        raise AssertionError("the interview does not end")

    def download(self, label: str, folder: Path) -> Path:
        """Click a download link; the file."""
        with self.page.expect_download() as waiting:
            self.page.get_by_role("link", name=label).click()
        path = folder / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path
