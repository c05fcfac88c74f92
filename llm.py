"""The one place that makes a LangChain chat model. Constructing one contacts nobody; the first call does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from domain import UserError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def chat_model(spec: str, base_url: str = "", timeout: float = 30.0, api_key: str = "") -> BaseChatModel:
    """The chat model that a LangChain model string names.

    `spec` is "provider:model", such as "openai:gpt-4.1-mini", "anthropic:claude-sonnet-4-5" or "ollama:qwen3".
    `base_url` points an OpenAI-compatible (or Ollama) client at another server; `timeout` is in seconds a request.
    A key is `api_key` or, where it is empty, what the provider's own variable holds (OPENAI_API_KEY, ...).

    Raises UserError when the string is malformed, the provider is unknown, its package is missing or a key is.
    """
    provider, colon, model = spec.partition(":")
    if not colon or not provider.strip() or not model.strip():
        raise UserError(f"VIVA_LLM must look like provider:model, for example openai:gpt-4.1-mini, and is {spec!r}.")
    from langchain.chat_models import init_chat_model

    options: dict[str, Any] = {"temperature": 0}
    if base_url:
        options["base_url"] = base_url
    if provider == "ollama":
        options["client_kwargs"] = {"timeout": timeout}
    else:
        # One retry by the client: a rate limit is often over after its Retry-After; beyond that the judge falls back.
        options |= {"timeout": timeout, "max_retries": 1}
        if api_key:
            options["api_key"] = api_key
        elif base_url:
            # Servers on the own machine want none, and the client refuses to be made without one.
            options["api_key"] = "not-needed"
    try:
        made = init_chat_model(model.strip(), model_provider=provider.strip(), **options)
    except ImportError as error:
        raise UserError(f"VIVA_LLM={spec!r} needs a package that is not installed: {error}") from error
    except Exception as error:
        # Providers raise their own types for a missing key; all of them mean that the settings are at fault.
        raise UserError(f"VIVA_LLM={spec!r} cannot be used: {_first_line(error)}") from error
    return cast("BaseChatModel", made)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
