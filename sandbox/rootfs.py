"""A private root for one box: libraries and a few devices read-only, small memory-backed folders to write in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sandbox import kernel

DEVICES = ("null", "zero", "full", "random", "urandom")
WORK = "/tmp"


def enter(
    mount_point: str, libraries: Sequence[str], *, megabytes: int, files: int, devices: Sequence[str] = ()
) -> bool:
    """Build the root on `mount_point` and make it this process's own. Needs mount and pid namespaces of its own.

    `megabytes` and `files` bound /tmp; /dev/shm gets as many bytes. Returns whether /proc could be mounted (a
    container that hides parts of /proc forbids it). Raises OSError.
    """
    root = Path(mount_point)
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    kernel.mount("viva", mount_point, "tmpfs", kernel.NO_SETUID | kernel.NO_DEVICES, "size=1m,mode=755")
    for name in ("dev", "dev/shm", "etc", "proc", "tmp"):
        (root / name).mkdir(exist_ok=True)
    flags = kernel.NO_SETUID | kernel.NO_DEVICES
    limits = f"size={megabytes}m,nr_inodes={files},mode=1777"
    kernel.mount("viva", str(root / "tmp"), "tmpfs", flags, limits)
    kernel.mount("viva", str(root / "dev/shm"), "tmpfs", flags | kernel.NO_EXEC, limits)
    for source in libraries:  # after /tmp, which may hold the very folder that this Python is installed in
        _bind(root, Path(source))
    for top in {Path(source).parts[2] for source in libraries if source.startswith(f"{WORK}/")}:
        shell = str(root / "tmp" / top)  # the folders that lead to a library: nothing may be put into them
        kernel.mount(shell, shell, None, kernel.BIND | kernel.RECURSIVE)
        kernel.make_read_only(shell)
    for name in (*DEVICES, *devices):
        _bind(root, Path("/dev") / name, device=True)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        (root / "dev" / name).symlink_to(f"/proc/self/fd{target}")
    (root / "etc/passwd").write_text("candidate:x:1000:1000::/tmp:/bin/false\n")
    (root / "etc/group").write_text("candidate:x:1000:\n")
    if os.path.exists("/etc/ld.so.cache"):  # noqa: PTH110
        _bind(root, Path("/etc/ld.so.cache"))
    try:
        kernel.mount("proc", str(root / "proc"), "proc", flags | kernel.NO_EXEC)
        if not devices:  # CUDA names its threads through /proc
            kernel.make_read_only(str(root / "proc"))
        has_proc = True
    except OSError:
        has_proc = False
    kernel.pivot_root(mount_point)
    kernel.mount("none", "/", None, kernel.REMOUNT | kernel.BIND | kernel.READ_ONLY | flags)
    return has_proc


def _bind(root: Path, source: Path, device: bool = False) -> None:
    """Show a path of the outer root at its own place, read-only; a symbolic link is copied as one."""
    target = root / source.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(target):
        return
    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    if source.is_dir():
        target.mkdir()
    else:
        target.touch()
    kernel.mount(str(source), str(target), None, kernel.BIND | (0 if device else kernel.RECURSIVE))
    if not device:
        kernel.make_read_only(str(target))
