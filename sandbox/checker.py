"""The process that judges: runs a check.py against boxes, and is told nothing that it does not need.

It is forked from a server of its own that has imported numpy and torch, has one thread and an empty environment. It
serves one run after the other on one socket: a run comes with a box, its findings go back case by case, so that
what was found stays found when the submission ends the run. It holds the expected values; no box ever does.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import os
import resource
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from domain import CandidateError, Case, CheckFunction, Framework, RunStatus
from sandbox import wire
from sandbox.channel import Channel
from sandbox.client import RemoteBox
from sandbox.endings import RunEnded, Vanished, from_error

PATIENCE = 0.5
MEMORY = 4 << 30  # what a judge may take, whatever a submission sends it
_compiled: dict[tuple[str, str], Any] = {}


def preload() -> None:
    """Import what checks use. Nothing is computed: forks of this process must be safe."""
    importlib.import_module("numpy")
    importlib.import_module("sandbox.toolkit")
    with contextlib.suppress(ImportError):
        importlib.import_module("torch")


def fork_worker(control: int, number: int, descriptors: list[int]) -> int:
    """Fork a worker that serves runs on the first descriptor. Returns its process."""
    del number
    pid = os.fork()
    if pid:
        return pid
    try:
        from sandbox import kernel

        kernel.die_with_parent()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(control)
        _serve(socket.socket(fileno=descriptors[0]))
    except BaseException:  # noqa: BLE001  (a process of its own ends here; the service sees the socket close)
        traceback.print_exc()
    finally:
        os._exit(0)


def _serve(service: socket.socket) -> None:
    warnings.simplefilter("ignore")
    gc.enable()
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    _warm()
    _send(service, {"ready": True, "pid": os.getpid()})
    fill = wire.fill_from(service)
    while True:
        descriptors = _receive_descriptors(service)
        if descriptors is None:
            return
        request, buffers = wire.unpack(fill)
        Run(service, request, bytes(buffers[0]).decode("utf-8", "replace"), descriptors).run()


def _warm() -> None:
    import numpy as np

    from sandbox.toolkit import case, expect_close, tensor

    np.random.default_rng(0).normal(size=4)
    case("warm", "", lambda: expect_close(tensor([1.0]), np.ones(1), dtype="float32"))
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
        x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
        (x @ x).sum().backward()


def _send(service: socket.socket, header: wire.Header) -> None:
    """Send a whole message: the alarm that ends a run may not cut it in two."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        for piece in wire.pack(header):
            service.sendall(piece)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})


def _receive_descriptors(service: socket.socket) -> list[int] | None:
    data, descriptors, _, _ = socket.recv_fds(service, 1, 8)
    return descriptors if data else None


class Run:
    """One run of one check (or of a submission alone) against one box."""

    def __init__(self, service: socket.socket, request: wire.Header, source: str, descriptors: list[int]) -> None:
        self.service, self.request = service, request
        self.box = RemoteBox(
            Channel(descriptors[0], descriptors[1], descriptors[2]),
            Framework(request["framework"]),
            source,
            self._another,
        )
        self.box.hello(request["hello"])
        self.hash = ""

    def run(self) -> None:
        """Run to the end and report it."""
        seconds = float(self.request["seconds"])
        signal.signal(signal.SIGALRM, self._late)
        self.box.channel.start(seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds + PATIENCE)
        status, error, line = RunStatus.OK, "", None
        vanished = False
        try:
            try:
                status = self._run()
            except CandidateError as raised:
                raise from_error(raised) from None
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except RunEnded as ending:
            status, error, line = ending.status, ending.error, ending.line
            vanished = isinstance(ending, Vanished)
        except Exception as problem:  # noqa: BLE001  (a check's own failure: reported as such, never as a score)
            traceback.print_exc()
            status, error = self._blame(problem)
        channel = self.box.channel
        done = {
            "status": status.value,
            "error": error,
            "line": line,
            "tail": channel.text(),
            "peak": channel.peak(),
            "device": self.box.device,
            "versions": list(self.box.versions),
            "hash": self.hash,
            "loaded": channel.started,
            "vanished": vanished,
        }
        self.box.close()
        _send(self.service, {"done": done})

    def _run(self) -> RunStatus:
        path = self.request["check"]
        if not path:
            return self._run_alone()
        import numpy as np

        check = self._load_check(Path(path))
        passed, count = True, 0
        findings: Iterator[Case] = check(self.box, np.random.default_rng(self.request["seed"]))
        for finding in findings:
            count += 1
            passed = passed and finding.passed
            self._report(finding)
            if finding.visible and self.request.get("visible_only"):
                break  # what comes after would show the submission a hidden input
        if not count:
            raise RunEnded(RunStatus.CRASHED, "The check reached none of its cases with this submission.")
        return RunStatus.OK if passed else RunStatus.WRONG

    def _run_alone(self) -> RunStatus:
        try:
            self.box.run_main()
        except CandidateError as error:
            if error.type_name == "SystemExit" and getattr(error, "exit_code", None) == 0:
                return RunStatus.OK
            raise
        return RunStatus.OK

    def _load_check(self, path: Path) -> CheckFunction:
        """The check function of a file, in a namespace of its own."""
        source = path.read_bytes()
        self.hash = hashlib.sha256(source).hexdigest()
        key = (str(path), self.hash)
        if key not in _compiled:
            _compiled[key] = compile(source, str(path), "exec", dont_inherit=True)
        namespace: dict[str, Any] = {"__name__": f"check_{self.hash[:12]}", "__file__": str(path)}
        exec(_compiled[key], namespace)
        check: CheckFunction = namespace["check"]
        return check

    def _report(self, finding: Case) -> None:
        sent = {"name": finding.name, "aspect": finding.aspect, "passed": bool(finding.passed), "why": finding.why}
        if finding.visible:
            sent |= {"visible": True, "values": [list(row) for row in finding.values]}
        _send(self.service, {"case": sent})

    def _another(self) -> Channel:
        _send(self.service, {"need": "box"})
        descriptors = _receive_descriptors(self.service)
        if descriptors is None:
            raise RunEnded(RunStatus.BOX_BROKEN, "The service has gone.")
        reply, _ = wire.unpack(wire.fill_from(self.service))
        if reply.get("late"):
            raise RunEnded(RunStatus.TIMED_OUT, "The code did not finish in time.")
        if "error" in reply or len(descriptors) != 3:
            raise RunEnded(RunStatus.BOX_BROKEN, f"No second box: {reply.get('error')}")
        return Channel(descriptors[0], descriptors[1], descriptors[2])

    def _late(self, *_: object) -> None:
        raise RunEnded(RunStatus.TIMED_OUT, "The code did not finish in time.")

    def _blame(self, problem: Exception) -> tuple[RunStatus, str]:
        """An error in the check's own code: ours, unless a value of the submission may have caused it."""
        kind = type(problem).__name__
        if self.box.channel.started and not isinstance(problem, NameError | ImportError | OSError):
            return RunStatus.CRASHED, f"The check could not use a value that the submission gave ({kind})."
        return RunStatus.BOX_BROKEN, f"The check itself failed ({kind}: {problem})."
