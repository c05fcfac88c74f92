"""What the processes of a box know of it."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field

from sandbox import rootfs
from sandbox.cgroups import Group
from sandbox.plan import Plan

PAGE = resource.getpagesize()
# The parts of /sys that CUDA reads.
GPU_SYSTEM = ("/sys/devices", "/sys/bus/pci", "/sys/module")


@dataclass(frozen=True)
class Ground:
    """What the fork server knows before any box: its plan, its library folders, a folder of its own, its size.

    `program` is the system call filter where it is the same for all boxes, else empty.
    """

    plan: Plan
    libraries: tuple[str, ...]
    folder: str
    name: str
    address_space: int
    accelerator: bool = False
    devices: tuple[str, ...] = ()
    program: bytes = b""


@dataclass
class Parts:
    """What the supervisor keeps of its box."""

    ground: Ground
    number: int
    group: Group | None = None
    # A user of this box alone: no other process has it, so none can be signalled, traced or read.
    user: int = field(default_factory=lambda: 0x10000000 + int.from_bytes(os.urandom(3), "big"))
    work: str = rootfs.WORK
    has_proc: bool = True
    candidate: int = 0
    baseline: int = 0
    resident: int = 0
    cause: str = ""
    entrances: list[int] = field(default_factory=list)
