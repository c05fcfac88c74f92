"""Speech over HTTP without a page: pieces up, transcripts and sounds down, and what is refused."""

from __future__ import annotations

import base64
import io
import json
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from starlette.testclient import TestClient

from domain import (
    Answer,
    Dictation,
    Recogniser,
    Session,
    Speaker,
    Transcript,
    Turn,
    TurnKind,
    UserError,
)
from speech.engines import recogniser
from speech.spoken import sentences
from speech.voice import HibariVoice
from ui.loading import Loading
from ui.parts import Facts, Interviews, Parts
from ui.speech import Speech
from ui.speech_http import LARGEST_PIECE, routes

MINE, OTHER = "a" * 32, "b" * 32
TURNS = (
    Turn(0, Speaker.INTERVIEWER, TurnKind.GREETING, "Hello, and welcome.", 0.0),
    Turn(1, Speaker.INTERVIEWER, TurnKind.QUESTION, "What is a leaf? Say what `x.grad` holds.", 0.0),
)
SAID = "Gradients accumulate in the leaf tensors."


class _Interviews:
    """Two interviews, as the service would give them."""

    def __init__(self) -> None:
        self.turns: tuple[Turn, ...] = TURNS

    def session(self, session_id: str) -> Session:
        if session_id not in (MINE, OTHER):
            raise UserError("There is no interview under this link.")
        return Session(session_id, 0, 0.0, turns=self.turns)


@pytest.fixture(scope="module")
def voice() -> HibariVoice:
    """The voice of this machine."""
    return HibariVoice()


@pytest.fixture(scope="module")
def listener() -> Recogniser:
    """The recogniser of this machine."""
    return recogniser()


def _speech(listener: Recogniser | None, voice: HibariVoice | None, browser_voice: bool = False) -> Speech:
    off = ("Recording: set A.", "Reading: set B.")
    return Speech(listener, voice, browser_voice=browser_voice, off=off, terms=lambda question: (), split=sentences)


def _client(speech: Speech, interviews: _Interviews | None = None) -> TestClient:
    service = cast(Interviews, interviews or _Interviews())
    parts = Parts(lambda: service, lambda: Facts("local", None, 1), Loading(()), {}, speech=speech)
    return TestClient(routes(parts))


@pytest.fixture(scope="module")
def spoken(voice: HibariVoice) -> tuple[bytes, int]:
    """What a microphone hears: PCM, and its rate."""
    with wave.open(io.BytesIO(next(voice.say(SAID))), "rb") as file:
        return file.readframes(file.getnframes()) + bytes(24_000), file.getframerate()


def test_a_recording_goes_up_in_pieces_and_comes_back_as_words(listener: Recogniser, spoken: tuple[bytes, int]) -> None:
    speech = _speech(listener, None)
    client = _client(speech)
    pcm, rate = spoken
    name = client.post(f"/speech/{MINE}/recordings").json()["recording"]
    address = f"/speech/{MINE}/recordings/{name}"
    for start in range(0, len(pcm), 2 * rate):
        told = client.post(f"{address}?rate={rate}", content=pcm[start : start + 2 * rate]).json()
        assert set(told) == {"text", "silence"}
    told = client.post(f"{address}/finish").json()
    assert "accumulate" in told["text"].lower()
    assert told["final"] is True
    assert told["seconds"] == pytest.approx(len(pcm) / 2 / rate, abs=0.2)
    assert client.post(f"{address}/finish").status_code == 404, "it is over"

    sent = speech.sent(MINE, told["text"], [told["id"]])
    assert sent.spoken[0].text == told["text"]
    assert not sent.edited
    assert speech.sent(OTHER, told["text"], [told["id"]]) == Answer(told["text"]), (
        "another interview knows nothing of it"
    )
    assert speech.sent(MINE, "typed", ["made-up"]) == Answer("typed")


def test_a_recording_belongs_to_its_interview(listener: Recogniser) -> None:
    client = _client(_speech(listener, None))
    name = client.post(f"/speech/{MINE}/recordings").json()["recording"]
    for way in ("?rate=16000", "/finish"):
        assert client.post(f"/speech/{OTHER}/recordings/{name}{way}", content=b"\0\0").status_code == 404
    client.delete(f"/speech/{OTHER}/recordings/{name}")
    assert client.post(f"/speech/{MINE}/recordings/{name}?rate=16000", content=b"\0\0").status_code == 200
    assert client.delete(f"/speech/{MINE}/recordings/{name}").status_code == 204
    assert client.post(f"/speech/{MINE}/recordings/{name}?rate=16000", content=b"\0\0").status_code == 404


@pytest.mark.parametrize(
    ("rate", "content", "status"),
    [("", b"\0\0", 400), ("-1", b"\0\0", 400), ("7", b"\0\0", 400), ("16000", b"\0", 400), ("16000", None, 413)],
)
def test_what_is_no_piece_of_a_recording_is_refused(
    listener: Recogniser, rate: str, content: bytes | None, status: int
) -> None:
    client = _client(_speech(listener, None))
    name = client.post(f"/speech/{MINE}/recordings").json()["recording"]
    body = bytes(LARGEST_PIECE + 2) if content is None else content
    answer = client.post(f"/speech/{MINE}/recordings/{name}?rate={rate}", content=body)
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize("session", ["c" * 32, "short", "..%2f..%2fetc"])
def test_an_unknown_interview_has_no_recordings_and_no_lines(listener: Recogniser, session: str) -> None:
    client = _client(_speech(listener, None))
    assert client.post(f"/speech/{session}/recordings").status_code >= 400
    assert client.get(f"/speech/{session}/lines").status_code >= 400


def test_a_file_that_is_no_recording(listener: Recogniser) -> None:
    answer = _client(_speech(listener, None)).post(f"/speech/{MINE}/file", content=b"This is no recording.")
    assert "not a recording that can be read" in json.loads(answer.text.splitlines()[-1])["error"]


def test_lines_are_heard_from_where_they_are_asked_for(voice: HibariVoice) -> None:
    interviews = _Interviews()
    client = _client(_speech(None, voice), interviews)

    def heard(start: str) -> list[int]:
        rows = [json.loads(line) for line in client.get(f"/speech/{MINE}/lines?from={start}").text.splitlines()]
        assert rows[-1] == {"until": len(interviews.turns)}
        assert all(base64.b64decode(row["wav"]).startswith(b"RIFF") for row in rows[:-1])
        return [row["turn"] for row in rows[:-1]]

    assert heard("0") == [1, 1], "a greeting that was answered already is left out"
    assert heard("2") == []
    said = Turn(2, Speaker.CANDIDATE, TurnKind.ANSWER, "No idea.", 0.0)
    asked = Turn(3, Speaker.INTERVIEWER, TurnKind.FOLLOW_UP, "Think of a sum.", 0.0)
    interviews.turns = (*TURNS, said, asked)
    assert heard("-1") == [3], "since the candidate's last words"
    assert heard("nonsense") == [3]


def test_the_browsers_own_voice_gets_words() -> None:
    rows = _client(_speech(None, None, browser_voice=True)).get(f"/speech/{MINE}/lines?from=1").text.splitlines()
    assert json.loads(rows[1]) == {"turn": 1, "text": "Say what x dot grad holds."}


def test_what_is_off_says_what_would_switch_it_on() -> None:
    client = _client(_speech(None, None))
    status = client.get("/speech/status").json()
    assert status["listening"]["off"] == "Recording: set A."
    assert status["speaking"]["off"] == "Reading: set B."
    assert client.post(f"/speech/{MINE}/recordings").json() == {"error": "Recording: set A."}
    assert json.loads(client.get(f"/speech/{MINE}/lines").text) == {"error": "Reading: set B."}
    assert "set A" in _speech(None, None).about()


def test_audio_goes_nowhere_before_it_is_agreed_to() -> None:
    speech = _speech(recogniser("m", "http://127.0.0.1:9/v1"), None)
    client = _client(speech)
    assert client.get("/speech/status").json()["listening"]["sends_to"] == "127.0.0.1"
    for agreed in ("", "?agreed=elsewhere"):
        for way in ("recordings", "file"):
            answer = client.post(f"/speech/{MINE}/{way}{agreed}", content=b"RIFF")
            assert "127.0.0.1" in json.loads(answer.text)["error"]
    assert "recording" in client.post(f"/speech/{MINE}/recordings?agreed=127.0.0.1").json()
    speech.close()


class _HalfWay:
    """A recogniser whose engine fails after the first piece. It is no stand-in for one that works."""

    name, sends_to = "half-way", ""

    def unavailable(self) -> str:
        return ""

    def load(self) -> None:
        return

    def transcribe(self, recording: Path, terms: Sequence[str] = ()) -> Iterator[Transcript]:
        yield Transcript("The first half", final=False)
        raise RuntimeError("out of memory")

    def listen(self, terms: Sequence[str] = ()) -> Dictation:
        raise RuntimeError("out of memory")


def test_a_recogniser_that_fails_half_way_is_our_fault_and_says_so() -> None:
    client = _client(_speech(_HalfWay(), None))
    rows = [json.loads(row) for row in client.post(f"/speech/{MINE}/file", content=b"RIFF").text.splitlines()]
    assert rows[0]["text"] == "The first half"
    assert "our side" in rows[1]["error"]
    answer = client.post(f"/speech/{MINE}/recordings")
    assert answer.status_code == 500
    assert "our side" in answer.json()["error"]


def test_an_edited_transcript_is_kept_beside_what_was_sent(listener: Recogniser, spoken: tuple[bytes, int]) -> None:
    speech = _speech(listener, None)
    session = Session(MINE, 0, 0.0)
    pcm, rate = spoken
    name = speech.begin(session)
    speech.feed(MINE, name, np.frombuffer(pcm, "<i2"), rate)
    given, transcript = speech.finish(MINE, name)
    sent = speech.sent(MINE, transcript.text.replace("leaf", "leave"), [given])
    assert sent.edited
    assert sent.spoken[0].text == transcript.text
