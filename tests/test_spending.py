"""The ceiling on a day's tokens: counted by day, kept over restarts, and in force for the real client."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain import UserError
from llm import chat_model
from settings import Settings, unused_models
from spending import DailyTokens, SpentError
from tests.loopback_llm import Reply, serve

DAY = 86_400.0


def test_tokens_are_counted_by_day_and_kept(tmp_path: Path) -> None:
    now = [10 * DAY]
    daily = DailyTokens(100, tmp_path / "tokens.json", lambda: now[0])
    daily.check()
    daily.add(60)
    daily.add(40)
    again = DailyTokens(100, tmp_path / "tokens.json", lambda: now[0])
    assert again.used() == 100
    with pytest.raises(SpentError, match="100 tokens are used up"):
        again.check()
    now[0] += DAY
    again.check()
    assert again.used() == 0


def test_a_count_that_cannot_be_read_is_a_spent_day(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text("{")
    with pytest.raises(SpentError):
        DailyTokens(5, tmp_path / "tokens.json").check()


def test_without_a_limit_nothing_is_counted_or_written(tmp_path: Path) -> None:
    daily = DailyTokens(0, tmp_path / "tokens.json")
    daily.add(10**9)
    daily.check()
    assert list(tmp_path.iterdir()) == []


def test_the_real_client_is_stopped_before_it_sends(tmp_path: Path) -> None:
    with serve(lambda _body: Reply("fine", tokens=(100, 20))) as server:
        daily = DailyTokens(200, tmp_path / "tokens.json")
        model = chat_model("openai:stub", server.url, daily=daily)
        model.invoke("one")
        assert daily.used() == 120
        model.invoke("two")
        assert daily.used() == 240
        with pytest.raises(SpentError):
            model.invoke("three")
        assert len(server.requests) == 2


def test_models_that_could_be_had_are_named_and_their_keys_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("settings.OLLAMA", ("127.0.0.1", 1))
    found = unused_models(Settings(), {"OPENAI_API_KEY": "secret-key", "HF_TOKEN": " "})
    assert len(found) == 1
    assert "VIVA_LLM=openai:" in found[0]
    assert "secret" not in found[0]
    assert unused_models(Settings(llm="openai:x"), {"OPENAI_API_KEY": "secret-key"}) == []


def test_a_setting_that_is_no_number_is_refused() -> None:
    from settings import from_environment

    with pytest.raises(UserError, match="VIVA_LLM_DAILY_TOKENS"):
        from_environment({"VIVA_LLM_DAILY_TOKENS": "many"})
