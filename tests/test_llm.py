"""Making a chat model: offline, by LangChain's model string, with errors that say what to set."""

from __future__ import annotations

import pytest

from domain import UserError
from llm import chat_model


def test_an_openai_compatible_server_needs_no_key() -> None:
    model = chat_model("openai:some-model", base_url="http://127.0.0.1:9/v1", timeout=3)
    assert type(model).__name__ == "ChatOpenAI"


@pytest.mark.parametrize(
    ("spec", "name"), [("anthropic:claude-sonnet-4-5", "ChatAnthropic"), ("ollama:qwen3", "ChatOllama")]
)
def test_other_providers_are_made_without_contacting_them(spec: str, name: str) -> None:
    assert type(chat_model(spec, api_key="k")).__name__ == name


@pytest.mark.parametrize("spec", ["gpt-4", "openai:", ":x", "nobody:model"])
def test_a_bad_string_is_a_user_error(spec: str) -> None:
    with pytest.raises(UserError, match="VIVA_LLM"):
        chat_model(spec)


def test_a_missing_key_is_a_user_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        chat_model("openai:gpt-4.1-mini")
