"""An OpenAI-compatible server on loopback, for tests that drive the real client over HTTP.

`respond` gets each request's body and returns a Reply. A reply's text is sent as the message's content or, where the
request offers tools and no other format, as the arguments of the first tool; with `"stream": true` as chunks.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the server answers. `hold` sends nothing until the server closes, so that the client's time runs out."""

    text: str = ""
    status: int = 200
    refusal: str = ""
    hold: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    tokens: tuple[int, int] = (100, 20)


Respond = Callable[[dict[str, Any]], Reply]


@dataclass
class LoopbackLLM:
    """A running server: its base URL, what it was asked so far, and how it answers next."""

    respond: Respond
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def script(self, *replies: Reply) -> None:
        """Answer with these replies in order, and with the last one from then on."""
        rest = list(replies)
        self.respond = lambda body: rest.pop(0) if len(rest) > 1 else rest[0]


def wanted_format(body: dict[str, Any]) -> str:
    """How a request asks for its answer: "json_schema", "json_object", "tools" or "text"."""
    kind = (body.get("response_format") or {}).get("type")
    return str(kind) if kind else "tools" if body.get("tools") else "text"


def _message(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    if reply.refusal:
        return {"role": "assistant", "content": None, "refusal": reply.refusal}
    if wanted_format(body) == "tools":
        call = {"name": body["tools"][0]["function"]["name"], "arguments": reply.text}
        return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": call}]}
    return {"role": "assistant", "content": reply.text, "refusal": None}


def _usage(reply: Reply) -> dict[str, int]:
    first, second = reply.tokens
    return {"prompt_tokens": first, "completion_tokens": second, "total_tokens": first + second}


def _chunks(body: dict[str, Any], reply: Reply) -> Iterator[dict[str, Any]]:
    base = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
    for word in reply.text.split(" "):
        yield base | {"choices": [{"index": 0, "delta": {"content": word + " "}, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield base | {"choices": [], "usage": _usage(reply)}


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        llm = self.server.llm
        llm.requests.append(body)
        reply = llm.respond(body)
        if reply.hold:
            llm.released.wait()
            self.close_connection = True
            return
        if reply.status != 200:
            self._send(reply, {"error": {"message": reply.text or "no", "type": "test", "code": None}})
        elif body.get("stream"):
            self._stream(body, reply)
        else:
            choice = {"index": 0, "message": _message(body, reply), "finish_reason": "stop"}
            head = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
            self._send(reply, head | {"choices": [choice], "usage": _usage(reply)})

    def _send(self, reply: Reply, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(reply.status)
        for name, value in (("content-type", "application/json"), ("content-length", str(len(data))), *reply.headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: dict[str, Any], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for chunk in _chunks(body, reply):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    llm: LoopbackLLM


@contextmanager
def serve(respond: Respond | None = None) -> Iterator[LoopbackLLM]:
    """A server on a free port of 127.0.0.1, stopped when the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.llm = LoopbackLLM(respond or (lambda body: Reply("Hello.")), f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.llm
    finally:
        server.llm.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
