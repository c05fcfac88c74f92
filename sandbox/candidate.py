"""The candidate process: shuts its own doors, then serves the RPC.

In this order, because each step needs what the next takes away: descriptors, limits, user, capabilities, Landlock,
seccomp.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Sequence

from sandbox import kernel, landlock, seccomp
from sandbox.parts import GPU_SYSTEM, Parts
from sandbox.plan import Plan

RPC = 3
READABLE = (
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/sys/devices/system/cpu",
    "/etc/ld.so.cache",
    "/etc/passwd",
)
GPU_READABLE = ("/proc/driver/nvidia", "/proc/devices", "/proc/modules", *GPU_SYSTEM)
OPENED = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def become_candidate(box: Parts, descriptors: Sequence[int], serve: Callable[[], None]) -> None:
    plan = box.ground.plan
    os.setsid()
    for entrance in box.entrances:
        os.write(entrance, b"0")
    rpc, output = os.dup(descriptors[0]), os.dup(descriptors[1])
    null = os.open("/dev/null", os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2), (rpc, RPC)):
        os.dup2(source, target)
    close_all_but((0, 1, 2, RPC))
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


def _close_door(box: Parts, program: bytes, serve: Callable[[], None]) -> None:
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


def _confine(box: Parts) -> None:
    plan = box.ground.plan
    readable = [*box.ground.libraries, *READABLE, *(GPU_READABLE if box.ground.accelerator else ())]
    writable = [box.work] + (["/dev/shm"] if plan.namespaces else [])
    writable += ["/proc/self/task"] if box.ground.accelerator else []  # CUDA names its threads there
    landlock.restrict(readable, writable, [*OPENED, *(f"/dev/{name}" for name in box.ground.devices)])


def _set_limits(box: Parts) -> None:
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


def close_all_but(kept: Sequence[int]) -> None:
    low = 0
    for descriptor in sorted({0, 1, 2, *kept}):
        if descriptor > low:
            os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1 << 16))
    sys.stdin = None  # descriptor 0 is /dev/null from here on
