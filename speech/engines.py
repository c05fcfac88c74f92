"""Which engine listens, by the settings."""

from __future__ import annotations

from speech.recognise import SpeechRecogniser


def recogniser(model: str = "", base_url: str = "", key: str = "") -> SpeechRecogniser:
    """The recogniser of the settings; nothing is loaded and nobody contacted.

    With `base_url`, an OpenAI-compatible service there, and `model` is a name it knows. Without, faster-whisper on this
    machine, and `model` is "" for the packaged weights, or a name or folder of a faster-whisper model.
    """
    if base_url:
        from speech.endpoint import EndpointEngine

        return SpeechRecogniser(EndpointEngine(base_url, key, model))
    from speech.whisper import WhisperEngine

    return SpeechRecogniser(WhisperEngine(model))
