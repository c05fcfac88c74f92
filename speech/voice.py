"""hibari: a small English voice on this machine, from weights that come in its package.

The sentences are made one at a time, so that the first is heard while the next is made. The same text always gives
the same sound.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import threading
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domain import UserError
from speech.spoken import sentences

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ABSENT = "No voice is installed on this machine. It comes with the package hibari-tts: pip install hibari-tts==0.2.1"
_SHA256 = "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8"  # of hibari.onnx, version 0.2.1
_SEED = 0


class HibariVoice:
    """Implements domain.Voice. Safe to share between threads."""

    name = "hibari (this machine)"

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._voice: Any = None
        self._lock = threading.Lock()

    def unavailable(self) -> str:
        """Why nothing can be spoken, or "". Loads nothing."""
        return "" if importlib.util.find_spec("hibari") and importlib.util.find_spec("onnxruntime") else ABSENT

    def load(self) -> None:
        """Load the model now. Safe to call again. Raises UserError where it is absent or not the published one."""
        with self._lock:
            if self._voice is None:
                self._voice = self._loaded()

    def _loaded(self) -> Any:
        if reason := self.unavailable():
            raise UserError(reason)
        from hibari import Hibari
        from hibari.tts import ASSETS

        model = Path(ASSETS) / "hibari.onnx"
        if hashlib.sha256(model.read_bytes()).hexdigest() != _SHA256:
            raise UserError(
                f"The voice's weights {model} are not the published ones, so nothing is spoken. Install them anew: "
                "pip install --force-reinstall --no-deps hibari-tts==0.2.1"
            )
        voice = Hibari(model=str(model))
        voice("Ready.", seed=_SEED)  # the first sentence would otherwise wait for the dictionary
        return voice

    def say(self, text: str) -> Iterator[bytes]:
        """A WAV file (24 kHz, 16 bit, mono) for each sentence of the Markdown, as soon as it is made."""
        self.load()
        for sentence in sentences(text):
            samples = self._voice(sentence, speed=self._speed, seed=_SEED)
            if len(samples):
                yield wav(samples, self._voice.sample_rate)


def wav(samples: npt.NDArray[np.float32], rate: int) -> bytes:
    """A 16-bit mono WAV file of samples in [-1, 1], shape (samples,), at `rate` Hz."""
    import numpy as np

    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return file.getvalue()


def join(files: Sequence[bytes]) -> tuple[bytes, float]:
    """WAV files of one format as one, and its length in seconds."""
    sound = io.BytesIO()
    frames = rate = 0
    with wave.open(sound, "wb") as out:
        for number, file in enumerate(files):
            with wave.open(io.BytesIO(file), "rb") as part:
                if not number:
                    out.setparams(part.getparams())
                out.writeframes(part.readframes(part.getnframes()))
                frames, rate = frames + part.getnframes(), part.getframerate()
    return sound.getvalue(), frames / rate if rate else 0.0
