"""Control groups: a hard bound on the memory and the number of processes of one box, versions 1 and 2.

The supervisor of a box holds descriptors of the group's folders, since it cannot see /sys any more by the time it
needs them.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


def find() -> tuple[tuple[str, str], ...]:
    """The folders below which this process may make groups, by controller; empty unless memory and pids both work."""
    found: dict[str, str] = {}
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return ()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            if controller in ("memory", "pids"):
                folder = ROOT / controller / path.lstrip("/")
                found[controller] = str(folder if folder.is_dir() else ROOT / controller)
        if not controllers:
            folder = ROOT / path.lstrip("/")
            folder = folder if folder.is_dir() else ROOT
            if _delegated(folder):
                return (("memory", str(folder)), ("pids", str(folder)))
    folders = tuple(sorted(found.items()))
    usable = len(folders) == 2 and all(os.access(folder, os.W_OK) for _, folder in folders)
    return folders if usable else ()


def _delegated(folder: Path) -> bool:
    """Whether children of this version 2 group have (or can be given) the memory and pids controllers."""
    control = folder / "cgroup.subtree_control"
    try:
        if {"memory", "pids"} <= set(control.read_text().split()):
            return os.access(folder, os.W_OK)
        control.write_text("+memory +pids")
    except OSError:
        return False
    return True


@dataclass
class Group:
    """The control group of one box: one folder in version 2, one a controller in version 1."""

    name: str
    parents: dict[str, int]
    folders: dict[str, int]

    @staticmethod
    def create(cgroups: tuple[tuple[str, str], ...], name: str, memory: int, processes: int) -> Group:
        """Make it and set its bounds. Raises OSError."""
        group = Group(name, {}, {})
        made: dict[str, int] = {}
        for controller, folder in cgroups:
            if folder not in made:
                parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                os.mkdir(name, dir_fd=parent)
                group.parents[controller] = parent
                made[folder] = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=parent)
            group.folders[controller] = made[folder]
        bounds = (
            ("memory", ("memory.limit_in_bytes", "memory.max"), str(memory)),
            ("memory", ("memory.memsw.limit_in_bytes", "memory.swap.max"), str(memory)),
            ("pids", ("pids.max",), str(processes)),
        )
        for controller, files, value in bounds:
            for file in files:
                group._write(controller, file, "0" if file == "memory.swap.max" else value)
        if group._read("pids", "pids.max").strip() != str(processes):
            raise OSError("the control group did not take its bounds")
        return group

    def entrances(self) -> list[int]:
        """Descriptors to write "0" to, by a process that joins."""
        return [
            os.open("cgroup.procs", os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder) for folder in set(self.folders.values())
        ]

    def killed_for_memory(self) -> bool:
        """Whether the kernel ended a process of the group for want of memory."""
        for file in ("memory.oom_control", "memory.events"):
            for line in self._read("memory", file).splitlines():
                if line.startswith("oom_kill ") and line.split()[1] != "0":
                    return True
        return False

    def peak(self) -> int | None:
        """The most memory it ever held, in bytes."""
        for file in ("memory.max_usage_in_bytes", "memory.peak"):
            text = self._read("memory", file).strip()
            if text.isdigit():
                return int(text)
        return None

    def remove(self) -> None:
        """Remove the folders, once every process in them has ended."""
        for parent in self.parents.values():
            for _ in range(200):
                try:
                    os.rmdir(self.name, dir_fd=parent)
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.005)

    def _write(self, controller: str, file: str, value: str) -> None:
        try:
            opened = os.open(file, os.O_WRONLY | os.O_CLOEXEC, dir_fd=self.folders[controller])
        except OSError:
            return
        try:
            os.write(opened, value.encode())
        finally:
            os.close(opened)

    def _read(self, controller: str, file: str) -> str:
        try:
            opened = os.open(file, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.folders[controller])
        except OSError:
            return ""
        try:
            return os.read(opened, 65536).decode()
        finally:
            os.close(opened)


def sweep(cgroups: tuple[tuple[str, str], ...], prefix: str) -> None:
    """Remove the groups whose name begins with the prefix and that hold no process any more."""
    for _, folder in cgroups:
        try:
            names = [entry for entry in os.listdir(folder) if entry.startswith(prefix)]  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            _remove(os.path.join(folder, name))  # noqa: PTH118


def _remove(path: str, tries: int = 100) -> None:
    """Remove a group; its processes may be ending just now."""
    for _ in range(tries):
        try:
            os.rmdir(path)  # noqa: PTH106
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
