"""With VIVA_LLM set: the page says who judges, and an interview outlives a language model that fails."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests import loopback_llm
from tests.ui.serving import Server
from tests.ui.visitor import Visitor

KEY = "sk-secret-of-the-test"


def test_a_failing_language_model_is_told_and_does_not_end_the_interview(browser: Browser, tmp_path: Path) -> None:
    with loopback_llm.serve() as model:
        model.script(loopback_llm.Reply(status=500))
        chosen = {"VIVA_LLM": "openai:model-of-the-test", "VIVA_LLM_BASE_URL": model.url, "VIVA_LLM_KEY": KEY}
        server = Server(tmp_path / "data", chosen)
        server.start()
        person = Visitor(browser, server.url)
        try:
            person.open()
            person.start(framework="PyTorch", topic="Deployment")
            expect(person.page.locator("#viva-facts")).to_contain_text("model-of-the-test")
            expect(person.page.locator("#consent")).to_contain_text("openai:model-of-the-test")
            expect(person.page.locator("#send")).to_be_disabled()
            assert not model.requests, "nothing leaves before the person agreed"
            person.page.locator("#agree").click()
            expect(person.page.locator("#consent")).to_be_hidden()
            person.page.reload()
            expect(person.page.locator("#send")).to_be_enabled()
            expect(person.page.locator("#consent")).to_be_hidden()
            person.answer("I would batch requests dynamically, so that the GPU works on many of them at once.")
            assert any("batch requests dynamically" in json.dumps(asked) for asked in model.requests)
            person.finish()
            report = json.loads(person.download("JSON", tmp_path).read_text())
            assert {judge["judge"] for judge in report["judges"]} == {"local"}, "the local judge took over"
            notes = [judge["note"] for judge in report["judges"]]
            assert any("model" in note.lower() for note in notes), notes
            told = json.dumps(server.wait_until_loaded()) + person.page.content() + json.dumps(report) + server.log()
            assert KEY not in told
        finally:
            person.close()
            server.stop()
