"""The one place that makes a LangChain chat model. Constructing one contacts nobody; the first call does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from domain import UserError

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from pydantic import BaseModel

    from spending import DailyTokens

CHARACTERS_A_TOKEN = 4  # for servers that do not tell; about what English text has
Model = TypeVar("Model", bound="BaseModel")


def chat_model(
    spec: str, base_url: str = "", timeout: float = 30.0, api_key: str = "", daily: DailyTokens | None = None
) -> BaseChatModel:
    """The chat model that a LangChain model string names.

    `spec` is "provider:model", such as "openai:gpt-4.1-mini", "anthropic:claude-sonnet-4-5", "ollama:qwen3",
    or "gguf:PATH" for a file served in this process (see gguf.py).
    `base_url` points an OpenAI-compatible (or Ollama) client at another server; `timeout` is in seconds a request.
    A key is `api_key` or, where it is empty, what the provider's own variable holds (OPENAI_API_KEY, ...). With `daily`
    each call raises SpentError once the day's tokens are used up.

    Raises UserError when the string is malformed, the provider is unknown, its package is missing or a key is.
    """
    provider, colon, model = spec.partition(":")
    if not colon or not provider.strip() or not model.strip():
        raise UserError(f"VIVA_LLM must look like provider:model, for example openai:gpt-4.1-mini, and is {spec!r}.")
    if provider.strip() == "gguf":
        import gguf

        served = gguf.serve(model.strip())
        provider, model, base_url, api_key = "openai", Path(model).stem, served.base_url, served.key
    from langchain.chat_models import init_chat_model

    options: dict[str, Any] = {"temperature": 0}
    if daily is not None:
        options["callbacks"] = [_meter(daily)]
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


def _meter(daily: DailyTokens) -> BaseCallbackHandler:
    """Counts every call of a model into `daily`, and refuses the ones for which nothing is left."""
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.messages import AIMessage

    class Meter(BaseCallbackHandler):
        raise_error = True  # else LangChain logs what a handler raises, and calls the model all the same

        def __init__(self) -> None:
            self._asked: dict[Any, int] = {}

        def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: Any, **_: Any) -> None:
            del serialized
            daily.check()
            self._asked[run_id] = sum(len(str(message.content)) for batch in messages for message in batch)

        def on_llm_end(self, response: Any, *, run_id: Any, **_: Any) -> None:
            said = [getattr(item, "message", None) for batch in response.generations for item in batch]
            told = [item.usage_metadata for item in said if isinstance(item, AIMessage) and item.usage_metadata]
            written = sum(len(str(item.content)) for item in said if isinstance(item, AIMessage))
            estimate = (self._asked.pop(run_id, 0) + written) // CHARACTERS_A_TOKEN
            daily.add(sum(usage["total_tokens"] for usage in told) or estimate)

        def on_llm_error(self, error: BaseException, *, run_id: Any, **_: Any) -> None:
            del error  # a call that failed half-way may have been charged
            daily.add(self._asked.pop(run_id, 0) // CHARACTERS_A_TOKEN)

    return Meter()


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def structured(model: BaseChatModel, schema: type[Model], messages: list[BaseMessage]) -> Model:
    """What the model answers, in a schema: asked for as a JSON schema, else as a function call, else in words with one
    repair. Raises UserError where no way gives an answer that fits, and what the client raises where it fails."""
    from langchain_core.exceptions import OutputParserException
    from langchain_core.messages import HumanMessage
    from langchain_core.output_parsers import PydanticOutputParser
    from pydantic import ValidationError

    for method in ("json_schema", "function_calling"):
        try:
            found = model.with_structured_output(schema, method=cast("Any", method)).invoke(messages)
            if isinstance(found, schema):
                return found
        except (NotImplementedError, ValueError, ValidationError, OutputParserException):
            continue
        except Exception as error:
            # A server that does not know the way of asking says so with one of these; all else is trouble.
            if getattr(error, "status_code", None) not in {400, 404, 422}:
                raise
    parser = PydanticOutputParser(pydantic_object=schema)
    asked = [
        *messages,
        HumanMessage(f"Answer with one JSON object and nothing else.\n{parser.get_format_instructions()}"),
    ]
    first = model.invoke(asked)
    try:
        return cast("Model", parser.invoke(first))
    except OutputParserException as error:
        repair = HumanMessage(f"That did not fit: {_first_line(error)} Answer with the JSON object alone.")
    try:
        return cast("Model", parser.invoke(model.invoke([*asked, first, repair])))
    except OutputParserException:
        raise UserError("The language model's answer could not be read.") from None
