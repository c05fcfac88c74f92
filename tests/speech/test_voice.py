"""The voice: sentence by sentence, understood by a recogniser, and refused where its weights are not the published."""

from __future__ import annotations

import io
import json
import wave
from pathlib import Path

import pytest

from domain import UserError
from speech.__main__ import main
from speech.heard import Understood, check, understood
from speech.pronounce import terms
from speech.recognise import SpeechRecogniser
from speech.voice import HibariVoice, join
from speech.voice_endpoint import EndpointVoice
from tests.loopback_speech import serve_speech

HARD = ["ONNX", "CUDA", "tf.function", "nn.Module", "INT8", "autograd"]


@pytest.fixture(scope="module")
def voice() -> HibariVoice:
    """The voice, loaded."""
    voice = HibariVoice()
    voice.load()
    return voice


def test_each_sentence_is_a_sound_of_its_own(voice: HibariVoice) -> None:
    sounds = list(voice.say("What is a leaf? Explain it.\n\n```python\nx = 1\n```"))
    assert len(sounds) == 3
    for sound in sounds:
        with wave.open(io.BytesIO(sound), "rb") as file:
            assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
            assert 0.5 < file.getnframes() / 24_000 < 6
    assert list(voice.say("What is a leaf?")) == sounds[:1], "the same text sounds the same"
    whole, seconds = join(sounds)
    with wave.open(io.BytesIO(whole), "rb") as file:
        assert file.getnframes() / 24_000 == seconds
    assert list(voice.say("```\nx\n```\n\n---")), "code alone is referred to"
    assert list(voice.say("  \n")) == []


def test_the_fields_terms_are_understood(voice: HibariVoice, recogniser: SpeechRecogniser) -> None:
    """A sample of what `python -m speech terms` checks of the whole table."""
    found = list(check(voice, recogniser, HARD, control=False))
    assert [item.term for item in found if not item.understood] == [], found


def test_what_was_not_said_is_not_understood(voice: HibariVoice, recogniser: SpeechRecogniser) -> None:
    (found,) = check(voice, recogniser, ["ONNX"])
    assert isinstance(found, Understood)
    assert not found.control
    assert not understood(terms()["ONNX"], "The question is about nickel, and you may take your time.")
    assert understood(terms()["GPU"], "about a G.P.U., and")
    assert understood(terms()["nn.Module"], "about nn.Module, and")


def test_a_term_that_the_table_lacks_is_named(voice: HibariVoice, recogniser: SpeechRecogniser) -> None:
    with pytest.raises(UserError, match="flibber"):
        list(check(voice, recogniser, ["flibber"]))


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hibari.tts

    (tmp_path / "hibari.onnx").write_bytes(b"something else")
    monkeypatch.setattr(hibari.tts, "ASSETS", str(tmp_path))
    with pytest.raises(UserError, match="not the published ones"):
        next(HibariVoice().say("Hello."))


def test_say_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "said.wav"
    assert main(["say", "What does `tf.function` do?", "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sentences"] == ["What does T F function do?"]
    with wave.open(str(out), "rb") as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(told["seconds"], abs=0.01)
    assert main(["say", "***"]) == 2
    assert "nothing" in capsys.readouterr().err


def test_an_endpoint_speaks_each_sentence(voice: HibariVoice) -> None:
    sound = next(voice.say("Hello."))
    with serve_speech(sound) as server:
        endpoint = EndpointVoice("tts", "alloy", server.url, "sk-test")
        assert list(endpoint.say("What is `x.grad`? Explain.")) == [sound, sound]
        assert [request["input"] for request in server.requests] == ["What is x dot grad?", "Explain."]
        assert server.requests[0] | {"model": "tts", "voice": "alloy", "response_format": "wav"} == server.requests[0]
        assert server.url.split("/")[2] in endpoint.name
        assert server.keys == ["Bearer sk-test"] * 2


@pytest.mark.parametrize(
    ("sound", "status", "says"), [(b"", 401, "status 401"), (b"<html>", 200, "no WAV file"), (b"", 500, "status 500")]
)
def test_an_endpoint_that_fails_says_so(sound: bytes, status: int, says: str) -> None:
    with serve_speech(sound, status) as server, pytest.raises(UserError, match=says):
        next(EndpointVoice("tts", "alloy", server.url).say("Hello."))


def test_an_endpoint_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="cannot be reached"):
        next(EndpointVoice("tts", "alloy", "http://127.0.0.1:9/v1").say("Hello."))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="VIVA_VOICE_KEY"):
        next(EndpointVoice("tts", "alloy").say("Hello."))
