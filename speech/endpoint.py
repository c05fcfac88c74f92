"""An OpenAI-compatible transcription service: `POST /audio/transcriptions` of OpenAI, or of a server of one's own.

Only where the settings name one. Stretches of speech leave this machine one by one, as WAV; what is silent never does.
"""

from __future__ import annotations

import io
import math
import threading
import wave
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from domain import UserError
from speech.audio import RATE
from speech.prompt import prompt
from speech.words import Word

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_MODEL = "whisper-1"
_TIMEOUT = 60.0  # seconds for one stretch


class EndpointEngine:
    """Implements words.Engine over HTTP. `key` may be empty for a server that wants none."""

    def __init__(self, base_url: str, key: str = "", model: str = "", timeout: float = _TIMEOUT) -> None:
        self._base_url = base_url
        self._key = key
        self._model = model or DEFAULT_MODEL
        self._timeout = timeout
        self._client: Any = None
        self._plain = False  # the service was found to know nothing but plain JSON
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model, and where it is."""
        return f"{self._model} at {self.sends_to}"

    @property
    def sends_to(self) -> str:
        """The host that audio is sent to."""
        return urlsplit(self._base_url).hostname or self._base_url

    def unavailable(self) -> str:
        """Why it cannot recognise, or "". Nobody is contacted."""
        parts = urlsplit(self._base_url)
        if parts.scheme in ("http", "https") and parts.hostname:
            return ""
        return f"VIVA_SPEECH_BASE_URL must be an http or https address, and is {self._base_url!r}."

    def load(self) -> None:
        """Make the client. Raises UserError where the address is none."""
        if fault := self.unavailable():
            raise UserError(fault)
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(
                    base_url=self._base_url, api_key=self._key or "not-needed", timeout=self._timeout, max_retries=1
                )

    def hear(self, samples: npt.NDArray[np.float32], terms: Sequence[str], before: str) -> list[Word]:
        """The words of a stretch of speech. Raises UserError where the service does not answer, or refuses."""
        self.load()
        import openai

        request = {
            "model": self._model,
            "file": ("answer.wav", _wav(samples), "audio/wav"),
            "language": "en",
            "prompt": prompt(terms, before),
            "temperature": 0.0,
        }
        try:
            if not self._plain:
                try:
                    answer = self._client.audio.transcriptions.create(**request, response_format="verbose_json")
                    return _words(answer, len(samples) / RATE)
                except openai.BadRequestError:
                    self._plain = True  # newer models of OpenAI give plain JSON alone
            answer = self._client.audio.transcriptions.create(**request, response_format="json")
            return _words(answer, len(samples) / RATE)
        except openai.AuthenticationError:
            raise UserError(f"{self.sends_to} refused the key for speech: check VIVA_SPEECH_KEY.") from None
        except openai.APIStatusError as error:
            why = f"{error.status_code} {error.message}"[:200]
            raise UserError(f"{self.sends_to} could not recognise the recording ({why}). Type the answer.") from error
        except openai.OpenAIError as error:
            raise UserError(
                f"{self.sends_to} did not answer, so the recording was not recognised. Try again, or type the answer."
            ) from error


def _wav(samples: npt.NDArray[np.float32]) -> bytes:
    import numpy as np

    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return content.getvalue()


def _words(answer: Any, seconds: float) -> list[Word]:
    """The words of an answer. Segments, where there are any, carry times and a probability; the words of a segment
    are spread evenly over it, since only the service's own list of words, which lacks punctuation, would know better.
    """
    segments = getattr(answer, "segments", None)
    if not segments:
        return _spread(answer.text, 0.0, seconds, 1.0)
    return [
        word
        for item in segments
        for word in _spread(item.text, item.start, item.end, math.exp(min(0.0, getattr(item, "avg_logprob", 0.0) or 0)))
    ]


def _spread(text: str, start: float, end: float, probability: float) -> list[Word]:
    pieces = text.split()
    step = (end - start) / max(1, len(pieces))
    return [
        Word(f" {piece}", start + number * step, start + (number + 1) * step, probability)
        for number, piece in enumerate(pieces)
    ]
