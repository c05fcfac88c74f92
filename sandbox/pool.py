"""Boxes and judging processes kept ready: made in the background, used once (boxes) or many times (judges)."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from domain import UserError
from sandbox.servers import ForkServer, IdleBox, Setup, Worker

TRIES = 3
RUNS_A_WORKER = 500


class Spares:
    """Warm boxes of one kind, refilled by a thread of its own. Nothing starts before `prepare` or `take`."""

    def __init__(self, setup: Callable[[], Setup], wanted: int) -> None:
        self._setup, self._wanted = setup, wanted
        self._ready: deque[IdleBox] = deque()
        self._changed = threading.Condition()
        self._waiting = 0
        self._closed = False
        self._failure = ""
        self._thread: threading.Thread | None = None
        self.server: ForkServer | None = None

    def prepare(self) -> None:
        """Begin to start the server and fill up. Returns at once."""
        with self._changed:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._fill, name="sandbox spares", daemon=True)
                self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether a box is waiting."""
        return bool(self._ready)

    @property
    def full(self) -> bool:
        """Whether as many boxes wait as shall."""
        return len(self._ready) >= self._wanted

    def take(self, seconds: float = 240.0) -> IdleBox:
        """A box, waiting for one to be made if need be. Raises UserError when none can be made."""
        self.prepare()
        until = time.monotonic() + seconds
        with self._changed:
            self._waiting += 1
            self._failure = ""
            self._changed.notify_all()
            try:
                while True:
                    while self._ready:
                        box = self._ready.popleft()
                        if box.alive:
                            return box
                        box.close()
                        self._changed.notify_all()
                    if self._closed or self._failure or time.monotonic() > until:
                        raise UserError(self._failure or "The sandbox has no free box.")
                    self._changed.wait(min(1.0, max(0.01, until - time.monotonic())))
            finally:
                self._waiting -= 1
                self._changed.notify_all()

    def _fill(self) -> None:
        failures = 0
        while True:
            with self._changed:
                while not self._closed and len(self._ready) >= max(self._wanted, self._waiting):
                    self._changed.wait()
                if self._closed:
                    return
            try:
                box = IdleBox.make(self._running_server())
                failures = 0
            except UserError as error:
                failures += 1
                if failures >= TRIES:
                    with self._changed:
                        self._failure = str(error)
                        self._changed.notify_all()
                        while not self._closed and not (self._waiting and not self._failure):
                            self._changed.wait()
                    failures = 0
                continue
            with self._changed:
                self._ready.append(box)
                self._changed.notify_all()

    def _running_server(self) -> ForkServer:
        if self.server is None or not self.server.alive:
            if self.server is not None:
                self.server.close()
            self.server = ForkServer(self._setup())
        return self.server

    def close(self) -> None:
        """End the waiting boxes and the server."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(30.0)
        while self._ready:
            self._ready.popleft().close()
        if self.server is not None:
            self.server.close()


class Workers:
    """Judging processes: as many as runs are going on, kept for the next."""

    def __init__(self, setup: Callable[[], Setup]) -> None:
        self._setup = setup
        self._idle: list[Worker] = []
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._closed = False
        self.server: ForkServer | None = None

    def prepare(self) -> None:
        """Start the server and one worker. Blocks: call it in a thread. Raises UserError."""
        self.give_back(self.take())

    def take(self) -> Worker:
        """An idle worker or a new one. Raises UserError."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        with self._starting:
            if self._closed:
                raise UserError("The sandbox is closed.")
            if self.server is None or not self.server.alive:
                if self.server is not None:
                    self.server.close()
                self.server = ForkServer(self._setup())
            server = self.server
        return Worker(server)

    def give_back(self, worker: Worker) -> None:
        """Keep a worker whose run ended well."""
        worker.runs += 1
        with self._lock:
            if not self._closed and worker.runs < RUNS_A_WORKER and worker.server.alive:
                self._idle.append(worker)
                return
        worker.close()

    def close(self) -> None:
        """End them and the server."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()
        with self._starting:
            if self.server is not None:
                self.server.close()
