"""The supervisor of a box: waits, enforces what the kernel does not, ends the box, reports how it ended.

It holds the box's lifeline, a socket to the service: "go" starts the clock, "peak" asks for the memory used, "memory"
says that the GPU's is used up, and when the other end is closed the box dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from pathlib import Path

from sandbox.parts import PAGE, Parts
from sandbox.tidy import count_files, remove_tree

WATCH = 0.05
GRACE = 1.5


def supervise(box: Parts, lifeline: socket.socket) -> None:
    """Wait for the candidate to end, the lifeline to be cut or a limit to be passed; end the box; report."""
    limits = box.ground.plan.limits
    ended = os.pidfd_open(box.candidate)
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(lifeline, select.POLLIN)
    deadline, cut = None, False
    while True:
        timeout = None if deadline is None else WATCH * 1000
        ready = {descriptor for descriptor, _ in poller.poll(timeout)}
        if ended in ready:
            break
        if lifeline.fileno() in ready:
            try:
                message = lifeline.recv(64)
            except OSError:  # the other end closed with something unread
                message = b""
            if not message:
                cut = True
                break
            if message.startswith(b"go"):
                deadline = time.monotonic() + float(message[2:] or limits.seconds) + GRACE
                box.baseline, box.resident = _memory(box), _resident(box.candidate)
            elif message.startswith(b"memory"):  # the GPU's, which the service measures
                box.cause = "memory"
                break
            else:
                tell(lifeline.fileno(), {"peak": _peak(box)})
        if deadline is not None and not box.cause:
            box.cause = _over_limit(box, deadline)
            if box.cause:
                break
    peak = _peak(box)
    with contextlib.suppress(ProcessLookupError):
        os.kill(box.candidate, signal.SIGKILL)
    _, status, _ = os.wait4(box.candidate, 0)
    if box.group and box.group.killed_for_memory():
        box.cause = "memory"
    if not cut:
        _read_the_rest(lifeline)
        code = os.waitstatus_to_exitcode(status)
        tell(lifeline.fileno(), {"cause": box.cause, "exit": code, "peak": peak})
    _sweep(box)
    os._exit(0)


def _read_the_rest(lifeline: socket.socket) -> None:
    """A socket that is closed with something unread resets the other end, which would then miss the report."""
    lifeline.setblocking(False)
    with contextlib.suppress(OSError):
        while lifeline.recv(64):
            pass
    lifeline.setblocking(True)


def _sweep(box: Parts) -> None:
    """End what else lives in the box and remove what it leaves outside."""
    if box.ground.plan.namespaces:
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    if box.group:
        box.group.remove()
    if not box.ground.plan.namespaces and not box.ground.plan.seal:
        remove_tree(box.work)


def _over_limit(box: Parts, deadline: float) -> str:
    limits = box.ground.plan.limits
    if time.monotonic() > deadline:
        return "time"
    if not box.ground.plan.cgroups and _memory(box) - box.baseline > limits.memory:
        return "memory"
    if not box.ground.plan.namespaces and not box.ground.plan.seal:
        if _threads(box.candidate) > limits.threads:
            return "threads"
        files, size = count_files(box.work, limits.folder_files)
        if files > limits.folder_files or size > limits.folder_megabytes << 20:
            return "disk"
    return ""


def _processes(box: Parts) -> list[int]:
    if not box.ground.plan.namespaces or not box.has_proc:
        return [box.candidate]
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208


def _memory(box: Parts) -> int:
    """Bytes that the box's processes hold and do not share with files."""
    total = 0
    for pid in _processes(box):
        with contextlib.suppress(OSError, ValueError, IndexError):
            numbers = Path(f"/proc/{pid}/statm").read_text().split()
            total += (int(numbers[1]) - int(numbers[2])) * PAGE
    return total


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _threads(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()  # holds the process's name, which may be any bytes
        return int(stat[stat.rindex(b")") + 2 :].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def _peak(box: Parts) -> int | None:
    """Most bytes the box held beyond what it started with; None where the machine does not say."""
    if box.group:
        return box.group.peak()
    try:
        for line in Path(f"/proc/{box.candidate}/status").read_text(errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return max(0, int(line.split()[1]) * 1024 - box.resident)
    except (OSError, ValueError, IndexError):
        pass
    return None


def tell(lifeline: int, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        os.write(lifeline, json.dumps(message).encode())
