"""The NVIDIA GPU: which device files a box needs, whether CUDA works in one, and how much of its memory is in use.

CUDA is never touched in the service or in a fork server: a context does not survive a fork. Whether it works is found
by a matrix product in a real box, since a driver that answers `nvidia-smi` proves nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from domain import UserError
from sandbox.servers import ForkServer, IdleBox, Setup

NAMES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")
FIRST = "nvidia0"
POLL_SECONDS = 0.05


def device_files(folder: Path = Path("/dev")) -> tuple[str, ...]:
    """The names below /dev that CUDA opens for the first GPU; empty where there is none."""
    if not (folder / FIRST).exists():
        return ()
    return (FIRST, *(name for name in NAMES if (folder / name).exists()))


def works(setup: Setup) -> str:
    """Why CUDA does not work in a box made after `setup`; empty when it does."""
    try:
        server = ForkServer(setup)
        try:
            box = IdleBox.make(server)
            device = str(box.hello.get("device"))
            box.close()
        finally:
            server.close()
    except UserError as error:
        return str(error)
    return "" if device.startswith("cuda") else f"the box found {device}"


class Meter(Protocol):
    """Tells how much of the GPU's memory is in use."""

    def used(self) -> int:
        """Bytes, by all processes together."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Nvml:
    """The driver's own library, without a package for it. Raises OSError where it is not installed or fails."""

    def __init__(self, index: int = 0) -> None:
        self._library = ctypes.CDLL("libnvidia-ml.so.1")
        self._device = ctypes.c_void_p()
        self._check(self._library.nvmlInit_v2())
        self._check(self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self._device)))

    def _check(self, code: int) -> None:
        if code:
            raise OSError(code, "NVML refused")

    def used(self) -> int:
        """Bytes, by all processes together."""
        memory = _Memory()
        self._check(self._library.nvmlDeviceGetMemoryInfo(self._device, ctypes.byref(memory)))
        return int(memory.used)


@contextlib.contextmanager
def watch(meter: Meter | None, lifeline: socket.socket, limit: int) -> Iterator[None]:
    """While a run goes on, have its supervisor end the box when the GPU's memory in use grows by more than `limit`.

    With one job at a time, what grows is that job's. Without a meter nothing is watched.
    """
    if meter is None:
        yield
        return
    done = threading.Event()
    line = lifeline.dup()
    start = meter.used()

    def look() -> None:
        while not done.wait(POLL_SECONDS):
            with contextlib.suppress(OSError):
                if meter.used() - start > limit:
                    line.send(b"memory")
                    return

    thread = threading.Thread(target=look, name="sandbox GPU memory", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        line.close()
