"""A fork server: a clean process that has imported what boxes need, has one thread, and forks on request.

Started as a program of its own with an empty environment. Its control socket brings, for each box, the box's three
descriptors. It never runs an operation of the framework, opens no device and handles no value of a candidate: a
fork of it is therefore safe. When the control socket closes it waits for its boxes to end, tidies up and ends.
"""

from __future__ import annotations

import array
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINGER = 3.0


def main(text: str) -> None:
    """Serve until the control socket closes. `text` is the configuration that `servers.ForkServer` writes."""
    config: dict[str, Any] = json.loads(text)
    service = os.getppid()
    control = socket.socket(fileno=config["control"])
    try:
        fork = _prepare(config)
    except BaseException as error:  # noqa: BLE001  (reported to the service, which says what is missing)
        _send(control, {"error": f"{type(error).__name__}: {error}"[:500]})
        return
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        _send(control, {"error": f"{threads} threads after the imports; a fork would not be safe"})
        return
    _send(control, {"ready": True, "pid": os.getpid(), "memory": _private_memory()})
    _serve(control, fork)
    if os.getppid() != service and config["role"] != "check":
        _tidy_up(config)


def _tidy_up(config: dict[str, Any]) -> None:
    """The service was killed and can remove nothing: do it in its place."""
    from sandbox import cgroups
    from sandbox.plan import Plan
    from sandbox.tidy import remove_tree

    cgroups.sweep(Plan.from_json(config["plan"]).cgroups, f"{config['name']}-")
    remove_tree(config["folder"])


def _prepare(config: dict[str, Any]) -> Callable[[int, list[int]], int]:
    """Import everything, and return what forks: (number, descriptors) -> pid."""
    from sandbox import kernel

    kernel.set_dumpable(False)
    kernel.adopt_orphans()
    if config["role"] == "check":
        from sandbox import checker

        sys.path.extend(path for path in config["paths"] if path not in sys.path)
        checker.preload()
        _freeze()
        return lambda number, descriptors: checker.fork_worker(config["control"], number, descriptors)

    from sandbox import box, preload, stub
    from sandbox.candidate import policy_program
    from sandbox.parts import PAGE, Ground
    from sandbox.plan import Plan

    root = str(Path(__file__).resolve().parent.parent)
    # As they really are: a box sees no link that leads to them, and imports some modules only when they are needed.
    paths = dict.fromkeys(str(Path(path).resolve()) for path in [*sys.path, *config["paths"]])
    sys.path[:] = [path for path in paths if not (root + "/").startswith(path.rstrip("/") + "/")]
    plan = Plan.from_json(config["plan"])
    preload.preload(config["role"], plan.limits.gpu_memory if config["gpu"] else 0, rare=plan.seal)
    _freeze()
    readable = tuple(libraries(sys.path))
    for folder in readable:
        if (root + "/").startswith(folder + "/"):
            raise RuntimeError(f"Viva itself lies in {folder}, which boxes can read; move it elsewhere")
    ground = Ground(
        plan=plan,
        libraries=readable,
        folder=config["folder"],
        name=config["name"],
        address_space=int(Path("/proc/self/statm").read_text().split()[0]) * PAGE,
        accelerator=config["gpu"],
        devices=tuple(config["devices"]),
        program=policy_program(plan, config["gpu"], 0) if plan.namespaces else b"",
    )
    return lambda number, descriptors: box.spawn(ground, number, descriptors, stub.serve)


def libraries(path: list[str]) -> list[str]:
    """The folders that code in a box may read: the system's libraries, Python's, and the installed packages."""
    found = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"]
    found += [str(Path(sys.base_prefix).resolve() / "lib"), *path]
    kept: list[str] = []
    for name in found:
        full = name if name in ("/lib", "/lib64") else str(Path(name).resolve())
        inside = any(full == other or full.startswith(other + "/") for other in kept)
        if Path(full).is_dir() and full != "/" and not inside:
            kept.append(full)
    return kept


def _freeze() -> None:
    """Keep what was imported out of later garbage collections, which would copy its pages in every box."""
    gc.collect()
    gc.disable()
    gc.freeze()


def _private_memory() -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


def _send(control: socket.socket, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        control.send(json.dumps(message).encode())


def _serve(control: socket.socket, fork: Callable[[int, list[int]], int]) -> None:
    waking, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: set[int] = set()
    number = 0
    watched: list[Any] = [control, waking]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if waking in ready:
            os.read(waking, 4096)
        _reap(children)
        if control not in ready:
            continue
        try:
            message, ancillary, _, _ = control.recvmsg(64, socket.CMSG_SPACE(16 * 4))
        except ConnectionResetError:
            break
        if not message:
            break
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
        number += 1
        signal.set_wakeup_fd(-1)
        try:
            children.add(fork(number, list(descriptors)))
        except OSError as error:
            print(f"sandbox: cannot fork: {error}", file=sys.stderr)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for descriptor in descriptors:
            os.close(descriptor)
    control.close()
    deadline = time.monotonic() + LINGER
    while _reap(children) and time.monotonic() < deadline:
        select.select([waking], [], [], 0.05)
        with contextlib.suppress(BlockingIOError):
            os.read(waking, 4096)


def _reap(children: set[int]) -> bool:
    """Collect the children that have ended. Returns whether any is left (adopted ones included)."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            children.clear()
            return False
        if not pid:
            return True
        children.discard(pid)
