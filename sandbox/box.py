"""From a fork server to a closed box: the processes of one box, and the order in which its doors shut.

    fork server -> (unshares the namespaces, ends) -> supervisor -> candidate

The supervisor is process 1 of the box's pid namespace (where there is one): when it ends, all of the box ends. It
holds the box's lifeline, a socket to the service: "go" starts the clock, "peak" asks for the memory used, and when
the other end is closed the box dies. It reports how the candidate's process ended. The candidate process shuts its
own doors: limits, user, capabilities, Landlock, seccomp, in this order, because each needs what the next takes away.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox import kernel, landlock, rootfs, seccomp
from sandbox.cgroups import Group
from sandbox.plan import Plan
from sandbox.tidy import count_files, remove_tree

RPC = 3
WATCH = 0.05
GRACE = 1.5
PAGE = resource.getpagesize()
READABLE = (
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/sys/devices/system/cpu",
    "/etc/ld.so.cache",
    "/etc/passwd",
)
GPU_READABLE = ("/proc/driver/nvidia", "/proc/devices", "/proc/modules", "/sys/devices", "/sys/bus/pci", "/sys/module")
OPENED = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


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
class _Box:
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
        _tell(lifeline, {"cause": "setup", "detail": f"{type(error).__name__}: {error}"[:500]})
    finally:
        os._exit(1)


def _become_box(ground: Ground, number: int, descriptors: Sequence[int], serve: Callable[[], None]) -> None:
    for handled in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(handled, signal.SIG_DFL)
    _close_all_but(descriptors)
    os.setsid()
    plan, box = ground.plan, _Box(ground, number)
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
            (*ground.libraries, *(path for path in GPU_READABLE if ground.accelerator and path.startswith("/sys"))),
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
            _candidate(box, descriptors, serve)
        except BaseException as error:  # noqa: BLE001  (before a submission is there this is a fault of ours)
            os.write(2, f"{type(error).__name__}: {error}".encode()[:500])
        os._exit(0)
    for descriptor in (descriptors[0], descriptors[1], *box.entrances):
        os.close(descriptor)
    _supervise(box, socket.socket(fileno=descriptors[2]))


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


# ------------------------------------------------------------------------------------------------ the supervisor


def _supervise(box: _Box, lifeline: socket.socket) -> None:
    """Wait for the candidate to end, the lifeline to be cut or a limit to be passed; end the box; report."""
    limits = box.ground.plan.limits
    ended = os.pidfd_open(box.candidate)
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(lifeline, select.POLLIN)
    deadline, cut = None, False
    while True:
        timeout = None if deadline is None else WATCH * 1000
        ready = {descriptor for descriptor, _ in poller.poll(timeout)}
        if ended in ready:
            break
        if lifeline.fileno() in ready:
            message = lifeline.recv(64)
            if not message:
                cut = True
                break
            if message.startswith(b"go"):
                deadline = time.monotonic() + float(message[2:] or limits.seconds) + GRACE
                box.baseline, box.resident = _memory(box), _resident(box.candidate)
            elif message.startswith(b"memory"):  # the GPU's, which the service measures
                box.cause = "memory"
                break
            else:
                _tell(lifeline.fileno(), {"peak": _peak(box)})
        if deadline is not None and not box.cause:
            box.cause = _over_limit(box, deadline)
            if box.cause:
                break
    peak = _peak(box)
    with contextlib.suppress(ProcessLookupError):
        os.kill(box.candidate, signal.SIGKILL)
    _, status, _ = os.wait4(box.candidate, 0)
    if box.group and box.group.killed_for_memory():
        box.cause = "memory"
    if not cut:
        _read_the_rest(lifeline)
        code = os.waitstatus_to_exitcode(status)
        _tell(lifeline.fileno(), {"cause": box.cause, "exit": code, "peak": peak})
    _sweep(box)
    os._exit(0)


def _read_the_rest(lifeline: socket.socket) -> None:
    """A socket that is closed with something unread resets the other end, which would then miss the report."""
    lifeline.setblocking(False)
    with contextlib.suppress(OSError):
        while lifeline.recv(64):
            pass
    lifeline.setblocking(True)


def _sweep(box: _Box) -> None:
    """End what else lives in the box and remove what it leaves outside."""
    if box.ground.plan.namespaces:
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    if box.group:
        box.group.remove()
    if not box.ground.plan.namespaces and not box.ground.plan.seal:
        remove_tree(box.work)


def _over_limit(box: _Box, deadline: float) -> str:
    limits = box.ground.plan.limits
    if time.monotonic() > deadline:
        return "time"
    if not box.ground.plan.cgroups and _memory(box) - box.baseline > limits.memory:
        return "memory"
    if not box.ground.plan.namespaces and not box.ground.plan.seal:
        if _threads(box.candidate) > limits.threads:
            return "threads"
        files, size = count_files(box.work, limits.folder_files)
        if files > limits.folder_files or size > limits.folder_megabytes << 20:
            return "disk"
    return ""


def _processes(box: _Box) -> list[int]:
    if not box.ground.plan.namespaces or not box.has_proc:
        return [box.candidate]
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208


def _memory(box: _Box) -> int:
    """Bytes that the box's processes hold and do not share with files."""
    total = 0
    for pid in _processes(box):
        with contextlib.suppress(OSError, ValueError, IndexError):
            numbers = Path(f"/proc/{pid}/statm").read_text().split()
            total += (int(numbers[1]) - int(numbers[2])) * PAGE
    return total


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _threads(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        return int(text[text.rindex(")") + 2 :].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def _peak(box: _Box) -> int | None:
    """Most bytes the box held beyond what it started with; None where the machine does not say."""
    if box.group:
        return box.group.peak()
    try:
        for line in Path(f"/proc/{box.candidate}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return max(0, int(line.split()[1]) * 1024 - box.resident)
    except (OSError, ValueError, IndexError):
        pass
    return None


def _tell(lifeline: int, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        os.write(lifeline, json.dumps(message).encode())


# ------------------------------------------------------------------------------------------------- the candidate


def _candidate(box: _Box, descriptors: Sequence[int], serve: Callable[[], None]) -> None:
    plan = box.ground.plan
    os.setsid()
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    for entrance in box.entrances:
        os.write(entrance, b"0")
    rpc, output = os.dup(descriptors[0]), os.dup(descriptors[1])
    null = os.open("/dev/null", os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2), (rpc, RPC)):
        os.dup2(source, target)
    _close_all_but((0, 1, 2, RPC))
    os.chdir(box.work if not plan.seal else "/")
    _set_limits(box)
    kernel.drop_bounding_set()
    if plan.own_uid:
        os.setgroups([])
        os.setresgid(box.user, box.user, box.user)
        os.setresuid(box.user, box.user, box.user)
    kernel.drop_capabilities()
    kernel.die_with_parent()
    kernel.set_dumpable(False)
    kernel.no_new_privileges()
    if plan.landlock:
        _confine(box)
    os.environ.clear()
    os.environ.update({"HOME": box.work, "TMPDIR": box.work, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"})
    program = box.ground.program or policy_program(plan, box.ground.accelerator, os.getpid())
    _close_door(box, program, serve)


def policy_program(plan: Plan, accelerator: bool, pid: int) -> bytes:
    """The system call filter of a plan's boxes. Without a pid namespace it depends on the candidate's `pid`."""
    return seccomp.assemble(
        seccomp.Policy(
            processes=plan.namespaces,
            sockets=plan.namespaces,
            paths=not plan.seal,
            attributes=plan.namespaces,
            accelerator=accelerator,
            pid=0 if plan.namespaces else pid,
        )
    )


def _close_door(box: _Box, program: bytes, serve: Callable[[], None]) -> None:
    """seccomp last. Where it denies what warming up needs (files, the GPU's set-up), the box is warmed before."""
    from sandbox import stub

    stub.open_streams()
    if box.ground.plan.seal or box.ground.accelerator:
        stub.warm()
        kernel.seccomp(program)
    else:
        kernel.seccomp(program)
        stub.warm()
    serve()


def _confine(box: _Box) -> None:
    plan = box.ground.plan
    readable = [*box.ground.libraries, *READABLE, *(GPU_READABLE if box.ground.accelerator else ())]
    writable = [box.work] + (["/dev/shm"] if plan.namespaces else [])
    writable += ["/proc/self/task"] if box.ground.accelerator else []  # CUDA names its threads there
    landlock.restrict(readable, writable, [*OPENED, *(f"/dev/{name}" for name in box.ground.devices)])


def _set_limits(box: _Box) -> None:
    limits = box.ground.plan.limits
    space = box.ground.address_space + limits.memory
    if box.ground.accelerator:  # CUDA reserves a huge address space
        resource.setrlimit(resource.RLIMIT_DATA, (space, space))
    else:
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    seconds = int(limits.seconds * 2) + 5
    # On a shared disk, files that are deleted but open escape the watchdog: then fewer and smaller ones.
    contained = box.ground.plan.namespaces
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    for limit, value in (
        (resource.RLIMIT_FSIZE, limits.file_bytes if contained else limits.file_bytes // 4),
        (resource.RLIMIT_NOFILE, limits.open_files if contained else limits.open_files // 4),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    if not box.ground.accelerator:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    if box.ground.plan.namespaces or box.ground.plan.own_uid:
        bound = limits.processes + 64
        resource.setrlimit(resource.RLIMIT_NPROC, (bound, bound))


def _close_all_but(kept: Sequence[int]) -> None:
    low = 0
    for descriptor in sorted({0, 1, 2, *kept}):
        if descriptor > low:
            os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1 << 16))
    sys.stdin = None  # descriptor 0 is /dev/null from here on
