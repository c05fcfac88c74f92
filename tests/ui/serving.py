"""A real server process for the browser tests, and the little web server that embeds it as a Space does."""

from __future__ import annotations

import contextlib
import http.server
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "build" / "ui-tests" / "index"
START_SECONDS = 240.0  # two cores, with other tests on them; the index of the whole bank is made at the first start


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(data: Path, port: int, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a server process gets: nothing of a developer's settings or keys."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VIVA_", "OPENAI", "ANTHROPIC"))}
    settings = {"VIVA_DATA": str(data), "VIVA_PORT": str(port), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return kept | settings | dict(extra or {})


def _lend_index(data: Path) -> None:
    """Put the index that another server of these tests built where this one looks for it. What does not fit the bank
    any more it builds anew."""
    if INDEX.is_dir() and not (data / "index").exists():
        data.mkdir(parents=True, exist_ok=True)
        shutil.copytree(INDEX, data / "index")
        owner = data.stat()
        for path in (data / "index", *(data / "index").iterdir()):
            os.chown(path, owner.st_uid, owner.st_gid)


def _keep_index(data: Path) -> None:
    """Keep what this server built, in one step, since another test process may do the same."""
    if list((data / "index").glob("*.json")):
        made = INDEX.with_name(f"index-{os.getpid()}-{data.parent.name}")
        shutil.copytree(data / "index", made, dirs_exist_ok=True)
        shutil.rmtree(INDEX, ignore_errors=True)
        with contextlib.suppress(OSError):
            made.rename(INDEX)
        shutil.rmtree(made, ignore_errors=True)


class Server:
    """`python app.py` on a port and a data folder of its own. `before` are words put before that command."""

    def __init__(self, data: Path, extra: Mapping[str, str] | None = None, before: Sequence[str] = ()) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._data = data
        self._environment = environment(data, self.port, extra)
        self._command = [*before, sys.executable, "app.py"]
        self._log = data.parent / f"server-{self.port}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        """Its data folder."""
        return self._data

    def start(self) -> None:
        """Start and wait until it says where it is."""
        _lend_index(self._data)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, stderr=log
            )
        line = self._line(START_SECONDS)
        assert line.startswith("Viva is at http://"), f"{line}\n{self.log()}"

    def _line(self, seconds: float) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        return self._process.stdout.readline().decode() if ready else f"nothing was printed in {seconds} s"

    def log(self) -> str:
        """What it wrote to its standard error."""
        return self._log.read_text(errors="replace")

    def kill(self) -> None:
        """kill -9: no chance to tidy up."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        _keep_index(self._data)
        assert self._process is not None
        if self._process.poll() is None:
            self._process.terminate()
        try:
            return self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise

    def wait_until_loaded(self, seconds: float = START_SECONDS) -> dict[str, object]:
        """What /healthz tells once nothing is loading any more."""
        until = time.monotonic() + seconds
        pause = threading.Event()
        while True:
            told: dict[str, object] = httpx.get(f"{self.url}/healthz", timeout=60.0).json()
            if told["status"] != "loading":
                return told
            assert time.monotonic() < until, f"still loading after {seconds} s: {told}"
            pause.wait(0.2)


@contextlib.contextmanager
def embedding(address: str, inner: str) -> Iterator[str]:
    """A page of another origin on `address` that shows `inner` in a frame, as a Space's page does; its URL."""
    html = f'<!doctype html><title>A Space</title><iframe src="{inner}" width="1100" height="850"></iframe>'.encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html)

        def log_message(self, *_: object) -> None:
            pass

    host, _, port = address.rpartition(":")
    with http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler) as outer:
        threading.Thread(target=outer.serve_forever, daemon=True).start()
        try:
            yield f"http://{host}:{port}/"
        finally:
            outer.shutdown()
