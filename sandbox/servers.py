"""The service's hold on its fork servers, and through them on boxes and on the processes that judge."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain import UserError
from sandbox import cgroups, wire
from sandbox.plan import Plan
from sandbox.tidy import remove_tree

ROOT = Path(__file__).resolve().parent.parent
START = "import sys; sys.path.append(sys.argv[1]); from sandbox.server import main; main(sys.argv[2])"
IMPORT_SECONDS = 180.0
HELLO_SECONDS = 60.0
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/tmp",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_MODULE_LOADING": "LAZY",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "PYTHONHASHSEED": "0",
}


def package_folders() -> list[str]:
    """Where this interpreter finds installed packages, user-wide ones included; a fresh isolated one would not."""
    return [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages") and Path(path).is_dir()]


@dataclass(frozen=True)
class Setup:
    """How to start a fork server. `role` is "pytorch", "tensorflow", "none" (plain boxes) or "check"."""

    role: str
    plan: str = ""
    folder: str = ""
    name: str = ""
    python: str = ""
    gpu: bool = False
    devices: tuple[str, ...] = ()


class ForkServer:
    """One running fork server."""

    def __init__(self, setup: Setup) -> None:
        """Start it and wait until its imports are done. Raises UserError when it does not come up."""
        self.setup = setup
        started = time.monotonic()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        config = {
            "control": theirs.fileno(),
            "role": setup.role,
            "plan": setup.plan,
            "folder": setup.folder,
            "name": f"{setup.name}-{os.urandom(3).hex()}",
            "paths": [] if setup.python else package_folders(),
            "gpu": setup.gpu,
            "devices": setup.devices,
        }
        environment = dict(ENVIRONMENT)
        if not setup.gpu:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        if "LD_LIBRARY_PATH" in os.environ:
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.name = str(config["name"])
        self._control = ours
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [setup.python or sys.executable, "-I", "-B", "-c", START, str(ROOT), json.dumps(config)],
            pass_fds=[theirs.fileno()],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        reply = self._first_word()
        if "ready" not in reply:
            self.close()
            raise UserError(f"The sandbox's {setup.role} server did not start: {reply.get('error', 'it ended')}.")
        self.pid = self._process.pid
        self.seconds = time.monotonic() - started
        self.memory = int(reply.get("memory", 0))

    def _first_word(self) -> dict[str, Any]:
        if not select.select([self._control], [], [], IMPORT_SECONDS)[0]:
            return {"error": f"no answer within {IMPORT_SECONDS:.0f} s"}
        try:
            data = self._control.recv(65536)
            return dict(json.loads(data)) if data else {}
        except (OSError, ValueError) as error:
            return {"error": str(error)}

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def fork(self, descriptors: Sequence[int]) -> None:
        """Have it fork a child that gets the descriptors. Raises OSError when it is gone."""
        with self._lock:
            socket.send_fds(self._control, [b"fork"], list(descriptors))

    def close(self, seconds: float = 8.0) -> None:
        """Let it end: it waits for its boxes. It is killed only when that takes too long."""
        self._control.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self.setup.plan:
            tidy(self.setup.folder, self.name, Plan.from_json(self.setup.plan))


def tidy(folder: str, name: str, plan: Plan) -> None:
    """Remove what boxes that were killed, or could not be made, have left: control groups and working folders."""
    cgroups.sweep(plan.cgroups, f"{name}-")
    for left in Path(folder).glob(f"work-{name}-*"):
        remove_tree(str(left))


@dataclass
class IdleBox:
    """A box that is closed, warm and waiting; the service's ends of its three connections."""

    rpc: socket.socket
    output: int
    lifeline: socket.socket
    hello: dict[str, Any]
    server: ForkServer

    @staticmethod
    def make(server: ForkServer) -> IdleBox:
        """Have the server fork a box and wait until it is ready. Raises UserError."""
        rpc, box_rpc = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        lifeline, box_lifeline = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output, box_output = os.pipe()
        box = IdleBox(rpc, output, lifeline, {}, server)
        try:
            server.fork([box_rpc.fileno(), box_output, box_lifeline.fileno()])
        except OSError as error:
            box.close()
            raise UserError(f"The sandbox's {server.setup.role} server has ended ({error}).") from None
        finally:
            box_rpc.close()
            box_lifeline.close()
            os.close(box_output)
        try:
            rpc.settimeout(HELLO_SECONDS)
            header, _ = wire.unpack(wire.fill_from(rpc))
            rpc.settimeout(None)
        except (OSError, EOFError, wire.FrameError) as error:
            reason = box.last_words() or str(error) or "it ended"
            box.close()
            raise UserError(f"A sandbox box could not be made: {reason}.") from None
        box.hello = dict(header["hello"])
        return box

    def last_words(self) -> str:
        """What the supervisor said when the box could not be made."""
        said = ""
        with contextlib.suppress(OSError, ValueError):
            self.lifeline.settimeout(2.0)
            report = json.loads(self.lifeline.recv(4096))
            said = str(report.get("detail") or report)
        with contextlib.suppress(OSError):
            os.set_blocking(self.output, False)
            said = os.read(self.output, 600).decode("utf-8", "replace") or said
        return said

    @property
    def alive(self) -> bool:
        """Whether nothing has happened to it while it waited."""
        poller = select.poll()
        poller.register(self.lifeline, select.POLLIN)
        poller.register(self.rpc, select.POLLIN)
        return not poller.poll(0)

    def descriptors(self) -> list[int]:
        """To hand on, in the order in which a check takes them."""
        return [self.rpc.fileno(), self.output, self.lifeline.fileno()]

    def close(self) -> None:
        """Let go of it. If nobody else holds its lifeline, it dies."""
        self.rpc.close()
        self.lifeline.close()
        with contextlib.suppress(OSError):
            os.close(self.output)


class Worker:
    """A process that judges, forked from the check server; serves one run at a time."""

    def __init__(self, server: ForkServer) -> None:
        """Have it forked and wait until it is warm. Raises UserError."""
        self.server = server
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            server.fork([theirs.fileno()])
        except OSError as error:
            self.socket.close()
            raise UserError(f"The sandbox's check server has ended ({error}).") from None
        finally:
            theirs.close()
        self.runs = 0
        self._process = -1
        try:
            ready = self.receive(HELLO_SECONDS)
            self._process = os.pidfd_open(ready["pid"])
        except (OSError, EOFError, wire.FrameError) as error:
            self.close()
            raise UserError(f"A check process did not start: {error or 'it ended'}.") from None

    def send(self, descriptors: Sequence[int], header: wire.Header, source: bytes = b"") -> None:
        """Hand over descriptors and a message. Raises OSError."""
        if descriptors:
            socket.send_fds(self.socket, [b"."], list(descriptors))
        else:
            self.socket.sendall(b".")
        for piece in wire.pack(header, [source]):
            self.socket.sendall(piece)

    def receive(self, seconds: float) -> wire.Header:
        """The next message. Raises TimeoutError, OSError or EOFError."""
        self.socket.settimeout(max(0.001, seconds))
        header, _ = wire.unpack(wire.fill_from(self.socket))
        self.socket.settimeout(None)
        return header

    def close(self) -> None:
        """End it, also where it is busy and does not look at its socket."""
        self.socket.close()
        if self._process >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
            os.close(self._process)
            self._process = -1
