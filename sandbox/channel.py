"""The trusted side of a box's three connections: the RPC socket, the output pipe, the lifeline.

One thread, one poll loop: while it waits for a reply it also drains the box's output (keeping the last 64 KiB) and
watches the clock, so that neither a flood of output nor a dripped frame can hold it up.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from collections.abc import Sequence
from typing import Any

from domain import RunStatus
from sandbox import wire
from sandbox.endings import ProtocolViolation, RunEnded, Vanished, from_report

TAIL = 64 << 10
MAX_RECEIVED = 512 << 20
LAST_WORDS = 2.0


class Channel:
    """The three descriptors of one box, seen from outside: RPC socket, output pipe, lifeline."""

    def __init__(self, rpc: int, output: int, lifeline: int) -> None:
        self.rpc = socket.socket(fileno=rpc)
        self.lifeline = socket.socket(fileno=lifeline)
        self.output = output
        self.rpc.setblocking(False)
        os.set_blocking(output, False)
        self.tail = bytearray()
        self.deadline = time.monotonic() + 30.0
        self.received = 0
        self.started = False
        self._open = True
        self._over = False
        self._last_peak: int | None = None
        self._poller = select.poll()
        self._poller.register(output, select.POLLIN)

    def start(self, seconds: float) -> None:
        """Start the clock of the run, here and in the supervisor."""
        self.deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            self.lifeline.send(b"go%.3f" % seconds)

    def send(self, header: wire.Header, buffers: Sequence[wire.Buffer] = ()) -> None:
        """Send one frame. Raises RunEnded."""
        for piece in wire.pack(header, buffers):
            view = memoryview(piece)
            while view:
                try:
                    view = view[self.rpc.send(view) :]
                except BlockingIOError:
                    self._wait(select.POLLOUT)
                except OSError:
                    raise self.ended() from None

    def receive(self) -> tuple[wire.Header, list[bytearray]]:
        """Receive one frame. Raises RunEnded."""
        try:
            return wire.unpack(self._fill)
        except wire.FrameError as error:
            raise ProtocolViolation(str(error)) from None

    def _fill(self, length: int) -> bytearray:
        self.received += length
        if self.received > MAX_RECEIVED:
            raise ProtocolViolation("it sent too much data")
        data = bytearray()
        while len(data) < length:
            try:
                part = self.rpc.recv(min(length - len(data), 1 << 20))
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            except OSError:
                part = b""
            if not part:
                raise self.ended()
            data += part
        return data

    def _wait(self, event: int) -> None:
        """Until the RPC socket is ready; raises RunEnded at the deadline."""
        self._poller.register(self.rpc, event)
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise RunEnded(RunStatus.TIMED_OUT, "The code did not finish in time.")
            ready = dict(self._poller.poll(left * 1000))
            if self.output in ready:
                self._drain()
            if self.rpc.fileno() in ready:
                return

    def _drain(self) -> None:
        """Take what the output pipe holds (a pipe's worth at most) and keep the tail."""
        try:
            data = os.read(self.output, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._poller.unregister(self.output)
            os.close(self.output)
            self.output = -1
            return
        self.tail += data
        if len(self.tail) > TAIL * 2:
            del self.tail[:-TAIL]

    def text(self) -> str:
        """The last 64 KiB of what the box printed."""
        for _ in range(64):
            before = len(self.tail)
            if self.output >= 0:
                self._drain()
            if len(self.tail) == before:
                break
        return bytes(self.tail[-TAIL:]).decode("utf-8", "replace")

    def peak(self) -> int | None:
        """The memory that the run took, in bytes, as the supervisor measured it; None where it could not."""
        if self._over:
            return self._last_peak
        try:
            self.lifeline.settimeout(0.5)
            self.lifeline.send(b"peak")
            return _peak(json.loads(self.lifeline.recv(4096)))
        except (OSError, ValueError):
            return None

    def ended(self) -> RunEnded:
        """Why the box is gone, after its connection has closed."""
        self._over = True
        report: dict[str, Any] = {}
        give_up = time.monotonic() + LAST_WORDS
        try:
            self.lifeline.settimeout(LAST_WORDS)
            while "exit" not in report and time.monotonic() < give_up:
                try:
                    words = self.lifeline.recv(4096)
                except ConnectionResetError:  # it ended before it had read everything; what it said is still there
                    words = self.lifeline.recv(4096)
                if not words:
                    break
                report |= json.loads(words)
        except TimeoutError:
            return RunEnded(RunStatus.CRASHED, "The submission closed its connection to the check.")
        except (OSError, ValueError):
            pass
        self._last_peak = _peak(report)
        if not report or not self.started:
            detail = f" ({report})" if report else ""
            return Vanished(detail)
        return from_report(report, self.text())

    def close(self) -> None:
        """Cut the lifeline: the box dies."""
        if self._open:
            self._open = False
            self.rpc.close()
            self.lifeline.close()
            if self.output >= 0:
                os.close(self.output)


def _peak(report: dict[str, Any]) -> int | None:
    found = report.get("peak")
    return found if type(found) is int else None
