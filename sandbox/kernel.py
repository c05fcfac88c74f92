"""The kernel's isolation calls, through ctypes: what Python's os module does not offer. Each raises OSError."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_ARM = platform.machine() == "aarch64"
_PIVOT_ROOT, _CAPSET, _SECCOMP = (41, 91, 277) if _ARM else (155, 126, 317)
_MOUNT_SETATTR, _LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 442, 444, 445, 446

NEW_MOUNTS, NEW_CGROUP, NEW_NAME, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USER, NEW_PID, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000

READ_ONLY, NO_SETUID, NO_DEVICES, NO_EXEC, BIND, RECURSIVE, PRIVATE, REMOUNT = 1, 2, 4, 8, 4096, 16384, 1 << 18, 32
_AT_RECURSIVE = 0x8000


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def _prctl(option: int, *arguments: int) -> int:
    four = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    return _check(_libc.prctl(option, *four), f"prctl({option})")


def set_dumpable(dumpable: bool) -> None:
    """When off, no process of the same user may read this one's memory, environment or descriptors, nor trace it."""
    _prctl(4, int(dumpable))


def dumpable() -> bool:
    """Whether this process may be read and traced by others of its user."""
    return _prctl(3) != 0


def die_with_parent() -> None:
    """SIGKILL when the thread that forked this process ends. Reset by a change of user."""
    _prctl(1, 9)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent has ended."""
    _prctl(36, 1)


def no_new_privileges() -> None:
    """No exec may gain rights from here on; needed for Landlock and seccomp without root."""
    _prctl(38, 1)


def unshare(flags: int) -> None:
    """Leave the shared namespaces named by the flags."""
    _check(_libc.unshare(flags), f"unshare({flags:#x})")


def drop_bounding_set() -> None:
    """Make sure that no exec and no change of user can bring a capability back. Does nothing without the right to."""
    for capability in range(64):
        if _libc.prctl(24, capability, 0, 0, 0) < 0:
            break
    _libc.prctl(47, 4, 0, 0, 0)
    _libc.prctl(28, 0x2F, 0, 0, 0)  # SECBIT_NOROOT and the like, locked


def drop_capabilities() -> None:
    """Give up every capability."""
    header, data = struct.pack("Ii", 0x20080522, 0), bytes(24)
    _check(_libc.syscall(_CAPSET, header, data), "capset")


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    """mount(2)."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    result = _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])
    _check(result, f"mount {source} on {target}")


def make_read_only(path: str) -> None:
    """Make a mounted tree read-only, without set-uid programs and device files, with what is mounted below it."""
    attributes = struct.pack("QQQQ", READ_ONLY | NO_SETUID | NO_DEVICES, 0, 0, 0)
    result = _libc.syscall(_MOUNT_SETATTR, -100, os.fsencode(path), _AT_RECURSIVE, attributes, len(attributes))
    _check(result, f"mount_setattr {path}")


def pivot_root(new: str) -> None:
    """Make `new` the root and drop the old one."""
    os.chdir(new)
    _check(_libc.syscall(_PIVOT_ROOT, b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", 2), "umount")
    os.chdir("/")


def landlock_version() -> int:
    """Landlock's ABI version; 0 where the kernel has none or it is switched off."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)))


def landlock_create(attributes: bytes) -> int:
    """A new ruleset's descriptor."""
    return _check(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0), "landlock_create")


def landlock_allow(ruleset: int, path: int, access: int) -> None:
    """Allow this access beneath the open path."""
    rule = struct.pack("=Qi", access, path)
    _check(_libc.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0), "landlock_add_rule")


def landlock_restrict(ruleset: int) -> None:
    """Put this thread, and what it starts from now on, under the ruleset."""
    _check(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock_restrict_self")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def seccomp(program: bytes) -> None:
    """Put every thread of this process under the BPF filter, for good."""
    buffer = ctypes.create_string_buffer(program, len(program))
    structure = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p).value)
    result = _check(_libc.syscall(_SECCOMP, 1, 1, ctypes.byref(structure)), "seccomp")
    if result:  # a thread that could not follow
        raise OSError(errno.EBUSY, "seccomp: a thread has a filter of its own")
