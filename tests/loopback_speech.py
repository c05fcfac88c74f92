"""An OpenAI-compatible speech endpoint on loopback, for tests that drive the real client over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class LoopbackSpeech:
    """A running server: its base URL, and what it was asked with which key."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def serve_speech(sound: bytes, status: int = 200) -> Iterator[LoopbackSpeech]:
    """Answers every request with these bytes and this status."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["Content-Type"] == "application/json":
                found.requests.append(json.loads(body))
            found.keys.append(self.headers["Authorization"])
            self.send_response(status)
            self.send_header("Content-Type", "audio/wav")
            self.send_header("Content-Length", str(len(sound)))
            self.end_headers()
            self.wfile.write(sound)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = LoopbackSpeech(f"http://127.0.0.1:{server.server_address[1]}/v1")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield found
        finally:
            server.shutdown()
