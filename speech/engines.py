"""Which engine listens, by the settings."""

from __future__ import annotations

from pathlib import Path

from speech.recognise import SpeechRecogniser
from speech.weights import PACKAGED
from speech.whisper import BEAM, WhisperEngine


def recogniser(model: str = "", base_url: str = "", key: str = "", beam: int = BEAM) -> SpeechRecogniser:
    """The recogniser of the settings; nothing is loaded and nobody contacted.

    With `base_url`, an OpenAI-compatible service there, and `model` is a name it knows. Without, faster-whisper on this
    machine, and `model` is "" for the packaged weights, or a name or folder of a faster-whisper model; it searches with
    `beam` beams.
    """
    if base_url:
        from speech.endpoint import EndpointEngine

        return SpeechRecogniser(EndpointEngine(base_url, key, model))
    return SpeechRecogniser(WhisperEngine(model, beam))


def needs_hub(model: str, base_url: str) -> bool:
    """Whether these settings name a model that a hub has to give."""
    return bool(model) and not base_url and not Path(model).is_dir() and model not in {item.name for item in PACKAGED}
