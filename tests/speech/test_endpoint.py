"""A transcription service by setting: the real client against an OpenAI-compatible server on loopback."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from domain import UserError
from speech.endpoint import EndpointEngine
from speech.engines import recogniser
from speech.recognise import SpeechRecogniser
from tests.speech.conftest import wave_seconds

SEGMENT = {"id": 0, "seek": 0, "tokens": [], "temperature": 0.0, "compression_ratio": 1.0, "no_speech_prob": 0.0}


@dataclass
class Service:
    """A running service: its address, the requests it had (field to value), and what it answers."""

    url: str
    requests: list[dict[str, bytes]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    status: int = 200
    verbose: bool = True
    text: str = " The auto grad graph. It is freed."


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        service = self.server.service
        body = self.rfile.read(int(self.headers["content-length"]))
        boundary = self.headers["content-type"].partition("boundary=")[2].encode()
        fields: dict[str, bytes] = {}
        for part in body.split(b"--" + boundary)[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            if name := re.search(rb'name="([^"]+)"', head):
                fields[name.group(1).decode()] = content[:-2]
        service.requests.append(fields)
        service.paths.append(self.path)
        service.keys.append(self.headers["authorization"])
        status, answer = service.status, self._answer(fields)
        if status == 200 and not service.verbose and fields["response_format"] == b"verbose_json":
            status = 400
        if status != 200:
            answer = {"error": {"message": "no", "type": "test", "code": None}}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, fields: dict[str, bytes]) -> dict[str, Any]:
        text = self.server.service.text
        if fields["response_format"] != b"verbose_json":
            return {"text": text.strip()}
        half, end = text.index(" It"), wave_seconds(fields["file"])
        segments = [
            SEGMENT | {"start": 0.0, "end": end / 2, "text": text[:half], "avg_logprob": -0.1},
            SEGMENT | {"start": end / 2, "end": end, "text": text[half:], "avg_logprob": -1.5},
        ]
        return {"task": "transcribe", "language": "english", "duration": end, "text": text, "segments": segments}

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    service: Service


@pytest.fixture
def service() -> Iterator[Service]:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.service = Service(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server.service
    server.shutdown()
    server.server_close()
    thread.join()


def test_stretches_of_speech_go_out_with_the_questions_terms(service: Service, answer_wav: Path) -> None:
    listening = recogniser("whisper-large", service.url, "sk-test")
    assert listening.unavailable() == ""
    assert (listening.sends_to, listening.name) == ("127.0.0.1", "whisper-large at 127.0.0.1")
    *_, final = listening.transcribe(answer_wav, ("autograd", "leaf tensor"))
    assert final.final and final.text == "The autograd graph. It is freed."
    assert [final.text[start:end] for start, end in final.doubtful] == ["It is freed."]
    assert [change.heard for change in final.corrections] == ["auto grad"]
    (request,) = service.requests
    assert service.paths == ["/v1/audio/transcriptions"] and service.keys == ["Bearer sk-test"]
    assert request["model"] == b"whisper-large" and request["language"] == b"en"
    assert b"autograd, leaf tensor" in request["prompt"]
    assert request["file"].startswith(b"RIFF")
    assert wave_seconds(request["file"]) < wave_seconds(answer_wav.read_bytes()) + 0.1


def test_a_service_that_knows_plain_json_alone(service: Service, answer_wav: Path) -> None:
    service.verbose = False
    listening = recogniser("gpt-4o-transcribe", service.url)
    for _ in range(2):
        *_, final = listening.transcribe(answer_wav)
        assert final.text == "The autograd graph. It is freed." and final.doubtful == ()
    formats = [request["response_format"] for request in service.requests]
    assert formats == [b"verbose_json", b"json", b"json"], "it is asked once only for what it does not know"


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "refused the key"), (413, "could not recognise"), (404, "could not recognise")],
)
def test_a_refusal_is_told_in_a_sentence(service: Service, answer_wav: Path, status: int, says: str) -> None:
    service.status = status
    with pytest.raises(UserError, match=says):
        list(recogniser("", service.url, "sk-test").transcribe(answer_wav))


def test_a_service_that_is_away_is_told_in_a_sentence(answer_wav: Path) -> None:
    away = SpeechRecogniser(EndpointEngine("http://127.0.0.1:9/v1", timeout=2.0))
    with pytest.raises(UserError, match="did not answer"):
        list(away.transcribe(answer_wav))


def test_an_address_that_is_none_is_told_before_anything_is_sent() -> None:
    assert "VIVA_SPEECH_BASE_URL" in recogniser("", "speech.example").unavailable()
    with pytest.raises(UserError, match="VIVA_SPEECH_BASE_URL"):
        recogniser("", "speech.example").load()


def test_the_key_shows_in_no_name(service: Service) -> None:
    listening = recogniser("", service.url, "sk-secret")
    assert "sk-secret" not in f"{listening.name} {listening.sends_to} {listening.unavailable()}"
