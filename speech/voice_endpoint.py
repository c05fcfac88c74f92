"""A voice at an OpenAI-compatible speech endpoint (`/audio/speech`), for whoever sets one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from domain import UserError
from speech.spoken import sentences

if TYPE_CHECKING:
    from openai import OpenAI

_PUBLIC = "api.openai.com"


class EndpointVoice:
    """Implements domain.Voice. `model` and `voice` are the endpoint's own names; without `base_url` it is OpenAI's, and
    without `key` the one of OPENAI_API_KEY. Only the interviewer's own lines are sent there. `timeout` in seconds."""

    def __init__(self, model: str, voice: str, base_url: str = "", key: str = "", timeout: float = 30.0) -> None:
        self._model, self._speaker = model, voice
        self._base_url, self._key, self._timeout = base_url, key, timeout
        self._client: OpenAI | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model and voice, and the host that they speak from."""
        return f"{self._model}, {self._speaker} ({urlsplit(self._base_url).netloc or _PUBLIC})"

    def unavailable(self) -> str:
        """Always "": whether the endpoint answers shows when it is asked."""
        return ""

    def load(self) -> None:
        """Make the client. Raises UserError where there is no key for it."""
        from openai import OpenAI, OpenAIError

        with self._lock:
            if self._client is not None:
                return
            # A server of one's own seldom wants a key, but the client insists on one.
            key = self._key or ("none" if self._base_url else None)
            try:
                self._client = OpenAI(
                    api_key=key, base_url=self._base_url or None, timeout=self._timeout, max_retries=1
                )
            except OpenAIError:
                raise UserError("The voice at OpenAI needs a key: set VIVA_VOICE_KEY or OPENAI_API_KEY.") from None

    def say(self, text: str) -> Iterator[bytes]:
        """A WAV file for each sentence of the Markdown. Raises UserError where the endpoint does not give one."""
        self.load()
        for sentence in sentences(text):
            yield self._spoken(sentence)

    def _spoken(self, sentence: str) -> bytes:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        assert self._client is not None
        try:
            answer = self._client.audio.speech.create(
                model=self._model, voice=self._speaker, input=sentence, response_format="wav"
            )
        except APITimeoutError:
            reason = f"it did not answer within {self._timeout:g} s"
        except APIConnectionError:
            reason = "it cannot be reached"
        except APIStatusError as error:
            reason = f"it answered with status {error.status_code}"
        else:
            content = answer.content
            if content.startswith(b"RIFF"):
                return content
            reason = "what it sent is no WAV file"
        raise UserError(f"The voice {self.name} failed: {reason}. The text is on the page.")
