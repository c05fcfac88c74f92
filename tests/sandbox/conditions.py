"""Runs a command under the conditions of another machine: a plain user, no namespaces, no Landlock.

`python -m tests.sandbox.conditions --user 1000 --no-namespaces --no-landlock -- COMMAND...`, as root. What the machine
of a container or a Space refuses is refused here by a seccomp filter of our own, which the command inherits.
"""

from __future__ import annotations

import argparse
import errno
import os
import platform
import struct
import sys
from pathlib import Path

from sandbox import kernel
from sandbox.seccomp import ALLOW, ARCHITECTURES, CLONE_NEW, ERROR

ARM = platform.machine() == "aarch64"
CLONE, CLONE3, UNSHARE, MOUNT = (220, 435, 97, 40) if ARM else (56, 435, 272, 165)
LANDLOCK = (444, 445, 446)
CLONE_NEWUSER_AND_OTHERS = CLONE_NEW | 0x80


def deny(namespaces: bool, landlock: bool) -> bytes:
    """A filter that refuses as a container's does: EPERM for namespaces and mounts, ENOSYS for Landlock."""
    program = [
        (0x20, 0, 0, 4),
        (0x15, 1, 0, ARCHITECTURES[platform.machine()][1]),
        (0x06, 0, 0, ALLOW),
        (0x20, 0, 0, 0),
    ]
    refused = {UNSHARE: errno.EPERM, MOUNT: errno.EPERM, CLONE3: errno.ENOSYS} if namespaces else {}
    refused |= dict.fromkeys(LANDLOCK, errno.ENOSYS) if landlock else {}
    for number, code in refused.items():
        program += [(0x15, 0, 1, number), (0x06, 0, 0, ERROR | code)]
    if namespaces:
        program += [
            (0x15, 0, 4, CLONE),
            (0x20, 0, 0, 16),
            (0x45, 0, 1, CLONE_NEWUSER_AND_OTHERS & ~0xFF),
            (0x06, 0, 0, ERROR | errno.EPERM),
            (0x06, 0, 0, ALLOW),
        ]
    program.append((0x06, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def show_python() -> None:
    """Make the interpreter reachable for another user, in a mount namespace of our own, where it lies below /root."""
    home = Path(sys.base_prefix).resolve()
    top = Path("/") / home.parts[1]
    if top.stat().st_mode & 0o005:
        return
    kernel.unshare(kernel.NEW_MOUNTS)
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    held = os.open(home, os.O_PATH)
    kernel.mount("none", str(top), "tmpfs", 0, "mode=755")
    home.mkdir(parents=True)
    kernel.mount(f"/proc/self/fd/{held}", str(home), None, kernel.BIND | kernel.RECURSIVE)
    os.close(held)


def main() -> None:
    """Change the conditions, then become the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int, default=0)
    parser.add_argument("--no-namespaces", action="store_true")
    parser.add_argument("--no-landlock", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.user:
        show_python()
        os.setgroups([])
        os.setresgid(options.user, options.user, options.user)
        os.setresuid(options.user, options.user, options.user)
        os.environ["HOME"] = "/tmp"
    kernel.no_new_privileges()
    kernel.seccomp(deny(options.no_namespaces, options.no_landlock))
    os.execv(options.command[0], options.command)


if __name__ == "__main__":
    main()
