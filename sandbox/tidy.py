"""Folders that hostile code wrote in: counted and removed without trusting their depth, names or size."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat


def count_files(folder: str, limit: int) -> tuple[int, int]:
    """How many entries the folder holds, and their bytes on disk; counting stops soon after `limit` entries.

    A folder that cannot be looked into (its path is too long, its owner forbids reading) counts as one over the limit:
    only somebody who hides something makes one.
    """
    entries, size, waiting = 0, 0, [folder]
    while waiting and entries <= limit:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    with contextlib.suppress(FileNotFoundError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    if entries > limit:
                        break
        except FileNotFoundError:
            continue  # removed in the meantime
        except OSError:
            return limit + 1, size
    return entries, size


def remove_tree(folder: str) -> None:
    """Remove a folder of any depth: each folder found in it is first moved up beside the others, then emptied."""
    try:
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        os.chmod(folder, 0o700)  # noqa: PTH101
        _empty(top)
    finally:
        os.close(top)
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106
    shutil.rmtree(folder, ignore_errors=True)


def _empty(top: int) -> None:
    number = 0
    waiting: list[str] = []
    _strip(top, top, waiting, number)
    while waiting:
        name = waiting.pop()
        try:
            os.chmod(name, 0o700, dir_fd=top)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
        except OSError:
            continue
        try:
            number = _strip(top, inner, waiting, number)
        finally:
            os.close(inner)
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=top)


def _strip(top: int, inner: int, waiting: list[str], number: int) -> int:
    """Unlink the files of a folder and move its folders up to `top`, under names never used before."""
    for name in os.listdir(inner):
        with contextlib.suppress(OSError):
            if not stat.S_ISDIR(os.stat(name, dir_fd=inner, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=inner)
            else:
                number += 1
                moved = f"{os.urandom(8).hex()}-{number}"
                os.rename(name, moved, src_dir_fd=inner, dst_dir_fd=top)
                waiting.append(moved)
    return number
