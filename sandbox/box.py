"""From a fork server to a closed box: the processes of one box, and who does what in them.

    fork server -> (unshares the namespaces, ends) -> supervisor -> candidate

The supervisor is process 1 of the box's pid namespace (where there is one): when it ends, all of the box ends. The
candidate process shuts its own doors and then serves the RPC.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from sandbox import kernel, rootfs
from sandbox.candidate import become_candidate, close_all_but
from sandbox.cgroups import Group
from sandbox.parts import GPU_SYSTEM, Ground, Parts
from sandbox.plan import Plan
from sandbox.supervisor import supervise, tell


def spawn(ground: Ground, number: int, descriptors: Sequence[int], serve: Callable[[], None]) -> int:
    """Fork one box and return at once with the process to wait for.

    `descriptors` are the box's ends of the RPC socket, the output pipe and the lifeline. `serve` runs in the closed
    box, the RPC on descriptor 3; it must already be imported.
    """
    pid = os.fork()
    if pid:
        return pid
    lifeline = descriptors[2]
    try:
        _become_box(ground, number, descriptors, serve)
    except BaseException as error:  # noqa: BLE001  (the process ends here whatever happened; the service is told)
        tell(lifeline, {"cause": "setup", "detail": f"{type(error).__name__}: {error}"[:500]})
    finally:
        os._exit(1)


def _become_box(ground: Ground, number: int, descriptors: Sequence[int], serve: Callable[[], None]) -> None:
    for handled in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(handled, signal.SIG_DFL)
    close_all_but(descriptors)
    os.setsid()
    with contextlib.suppress(OSError):  # where the machine runs out of memory, a box goes first
        Path("/proc/self/oom_score_adj").write_text("1000")
    plan, box = ground.plan, Parts(ground, number)
    if plan.cgroups:
        box.group = Group.create(
            plan.cgroups, f"{ground.name}-{number}", plan.limits.memory + (64 << 20), plan.limits.processes + 64
        )
        box.entrances = box.group.entrances()
    if plan.namespaces:
        _unshare(plan)
        _leave_parent()
    kernel.die_with_parent()
    kernel.adopt_orphans()
    limits = plan.limits
    if plan.namespaces:
        box.has_proc = rootfs.enter(
            str(Path(ground.folder) / "root"),
            (*ground.libraries, *(GPU_SYSTEM if ground.accelerator else ())),
            megabytes=limits.folder_megabytes,
            files=limits.folder_files,
            devices=ground.devices,
        )
    elif not plan.seal:
        box.work = str(Path(ground.folder) / f"work-{ground.name}-{number}")
        os.mkdir(box.work, 0o700)  # noqa: PTH102
        if plan.own_uid:
            os.chown(box.work, box.user, box.user)
    box.candidate = os.fork()
    if not box.candidate:
        try:
            become_candidate(box, descriptors, serve)
        except BaseException as error:  # noqa: BLE001  (before a submission is there this is a fault of ours)
            os.write(2, f"{type(error).__name__}: {error}".encode()[:500])
        os._exit(0)
    for descriptor in (descriptors[0], descriptors[1], *box.entrances):
        os.close(descriptor)
    supervise(box, socket.socket(fileno=descriptors[2]))


def _leave_parent() -> None:
    """Go on in a child, process 1 of the new pid namespace, once its parent has ended and the fork server adopted it.

    Before that, the wish to die with the parent would be granted at once. The descriptor of the parent's process
    becomes readable after the adoption; a pipe would already close before it.
    """
    parent = os.pidfd_open(os.getpid())
    if os.fork():
        os._exit(0)
    select.select([parent], [], [])
    os.close(parent)


def _unshare(plan: Plan) -> None:
    flags = kernel.NEW_PID | kernel.NEW_MOUNTS | kernel.NEW_NETWORK | kernel.NEW_IPC | kernel.NEW_NAME
    flags |= kernel.NEW_CGROUP
    if not plan.user_namespace:
        kernel.unshare(flags)
        return
    user, group = os.geteuid(), os.getegid()
    kernel.set_dumpable(True)  # or the maps belong to root and cannot be written
    kernel.unshare(flags | kernel.NEW_USER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    kernel.set_dumpable(False)
