"""Landlock: which files a box can reach. Everything not listed is out of reach, whoever owns it."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from sandbox import kernel

EXECUTE, WRITE, READ, LIST = 1, 2, 4, 8
MAKE_CHARACTER_DEVICE, MAKE_BLOCK_DEVICE = 1 << 6, 1 << 11
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_FILE_ONLY = EXECUTE | WRITE | READ | TRUNCATE | DEVICE_CONTROL
_NET = 3  # TCP bind and connect
_SCOPE = 3  # abstract UNIX sockets, signals


def restrict(readable: Iterable[str], writable: Iterable[str], devices: Iterable[str] = ()) -> int:
    """Confine this process to the given paths and forbid TCP; from ABI 6 on also signals and abstract sockets out.

    `readable` trees may be read and listed, `writable` ones also changed, `devices` opened and controlled. Nothing
    may be executed. A path that does not exist is skipped. Returns the ABI version used; raises OSError.
    """
    version = kernel.landlock_version()
    handled = (1 << 13) - 1
    handled |= REFER if version >= 2 else 0
    handled |= TRUNCATE if version >= 3 else 0
    handled |= DEVICE_CONTROL if version >= 5 else 0
    attributes = struct.pack("Q", handled)
    if version >= 4:
        attributes += struct.pack("Q", _NET)
    if version >= 6:
        attributes += struct.pack("Q", _SCOPE)
    ruleset = kernel.landlock_create(attributes)
    change = handled & ~(EXECUTE | MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | DEVICE_CONTROL)
    for paths, access in (
        (readable, READ | LIST),
        (writable, change),
        (devices, READ | WRITE | DEVICE_CONTROL),
    ):
        for path in paths:
            _allow(ruleset, path, access & handled)
    kernel.landlock_restrict(ruleset)
    os.close(ruleset)
    return version


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112
            access &= _FILE_ONLY
        kernel.landlock_allow(ruleset, opened, access)
    finally:
        os.close(opened)
