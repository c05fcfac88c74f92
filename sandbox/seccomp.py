"""The system calls a box may make: a policy, and the classic BPF program it assembles to.

The policy is a list of what is allowed, so that a call the kernel learns tomorrow is refused today. Most calls are
allowed or refused by number; a few are allowed for some arguments only (a thread but not a process, a UNIX socket
but not TCP, a signal to oneself). Refused calls fail with an error that Python code can catch; only the foreign
entry points of x86_64 (int 0x80) end the process, since honest code never uses them.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass

from sandbox.syscall_numbers import NUMBERS

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ALLOWED = _names("""
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close close_range fstat lseek
mmap mprotect munmap mremap madvise brk msync
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack pause alarm
getitimer setitimer nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times getrusage
poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime pipe pipe2 dup dup2 dup3
getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid getsid
uname sysinfo getcpu getrandom futex futex_waitv set_robust_list get_robust_list set_tid_address rseq membarrier
arch_prctl exit exit_group restart_syscall sched_yield sched_getaffinity sched_getparam sched_getscheduler
sched_get_priority_max sched_get_priority_min getpriority get_mempolicy ftruncate fallocate fsync fdatasync
fadvise64 flock sendfile copy_file_range wait4 waitid recvfrom recvmsg shutdown
getsockname getpeername getsockopt umask capget getrlimit
""")

# Calls that find a file by its path. What they reach is up to Landlock and the private root; without either, none.
BY_PATH = _names("""
open openat creat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getdents getdents64
mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat chdir fchdir getcwd
statfs fstatfs
""")

# Landlock does not restrict these, so they are for boxes whose files are all their own or read-only mounts.
ATTRIBUTES = _names("chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat")

LOCAL_SOCKETS = _names("bind listen accept accept4 connect sendto sendmsg")
ACCELERATOR = _names("memfd_create mbind set_mempolicy mlock munlock mincore sched_setscheduler")

# libc and Python try these first and fall back to an older call when they are missing.
MISSING = _names("clone3 openat2")

AF_UNIX = 1
CLONE_FILES, CLONE_THREAD = 0x400, 0x10000
CLONE_NEW = 0x7E020000  # every namespace flag that clone() takes
FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)  # duplicate, flags, locks, pipe size; no F_SETOWN, F_SETSIG
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # terminal queries, FIONREAD, FIONBIO, close-on-exec
IOCTL_REFUSED = (0x5412, 0x541C, 0x8901, 0x8902)  # TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP
PRCTL = (2, 3, 15, 16, 21, 23, 39, 0x53564D41)  # names, queries, PR_SET_VMA; never the death signal, PR_SET_DUMPABLE

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant: struct sock_filter


@dataclass(frozen=True)
class Policy:
    """Which parts of the allowed calls a box gets.

    `processes`: it may fork and signal what it forked, which is only safe inside a pid namespace of its own; else
    only threads, and signals only to `pid`. `sockets`: UNIX sockets, for a box with a network namespace of its own.
    `paths`: files by path. `attributes`: chmod and the like. `accelerator`: what the CUDA driver needs.
    """

    processes: bool = False
    sockets: bool = False
    paths: bool = True
    attributes: bool = False
    accelerator: bool = False
    pid: int = 0


def _return(value: int) -> Instruction:
    return (_RETURN, 0, 0, value)


def _argument(index: int) -> Instruction:
    """Load the low 32 bits of an argument (little endian); every argument tested here is an int or fits in 32 bits."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _one_of(index: int, values: tuple[int, ...]) -> list[Instruction]:
    """Allow when the argument is one of the values, else fail with EPERM."""
    tests: list[Instruction] = []
    for value in values:
        tests += [(_EQUAL, 0, 1, value), _return(ALLOW)]
    return [_argument(index), *tests, _return(ERROR | errno.EPERM)]


def _conditional(policy: Policy) -> dict[str, list[Instruction]]:
    """The calls that are allowed for some arguments: a block each, entered on a match, that always returns."""
    refuse, allow = _return(ERROR | errno.EPERM), _return(ALLOW)
    no_new_namespace: list[Instruction] = [_argument(0), (_ANY_BIT, 0, 1, CLONE_NEW), refuse]
    blocks: dict[str, list[Instruction]] = {
        "fcntl": _one_of(1, FCNTL),
        "prctl": _one_of(0, PRCTL),
        "socketpair": _one_of(0, (AF_UNIX,)),
        "prlimit64": _one_of(0, (0,)),
        "sched_setaffinity": _one_of(0, (0,)),
        "ioctl": _one_of(1, IOCTL),
    }
    if policy.accelerator:
        tests: list[Instruction] = []
        for value in IOCTL_REFUSED:
            tests += [(_EQUAL, 0, 1, value), refuse]
        blocks["ioctl"] = [_argument(1), *tests, allow]
    if policy.processes:
        blocks["clone"] = [*no_new_namespace, allow]
        for name in ("kill", "tgkill", "tkill", "fork", "vfork"):
            blocks[name] = [allow]
    else:
        # A thread shares its process's descriptors; with a table of its own it would have their limit once more.
        blocks["clone"] = [
            *no_new_namespace,
            (_ANY_BIT, 0, 2, CLONE_THREAD),
            (_ANY_BIT, 0, 1, CLONE_FILES),
            allow,
            refuse,
        ]
        if policy.pid:
            for name in ("kill", "tgkill"):
                blocks[name] = _one_of(0, (policy.pid,))
    if policy.sockets:
        blocks["socket"] = _one_of(0, (AF_UNIX,))
        reuse_address = _one_of(2, (2,))
        blocks["setsockopt"] = [_argument(1), (_EQUAL, 0, len(reuse_address), 1), *reuse_address, refuse]
    else:
        # Without a network namespace a datagram socket of a pair could send to any UNIX socket of the machine: only
        # to its peer, then, which is a null address (both halves of the pointer).
        blocks["sendto"] = [
            _argument(4),
            (_EQUAL, 0, 3, 0),
            (_LOAD, 0, 0, _ARGUMENTS + 8 * 4 + 4),
            (_EQUAL, 0, 1, 0),
            allow,
            refuse,
        ]
    return blocks


def allowed(policy: Policy) -> list[str]:
    """The names of the calls that are allowed whatever their arguments."""
    names = list(ALLOWED)
    names += BY_PATH if policy.paths else []
    names += ATTRIBUTES if policy.attributes else []
    names += LOCAL_SOCKETS if policy.sockets else []
    names += ACCELERATOR if policy.accelerator else []
    return names


def assemble(policy: Policy, machine: str = "") -> bytes:
    """The BPF program for `machine` (default: this one), as the bytes of an array of struct sock_filter.

    Raises KeyError for a machine other than x86_64 and aarch64.
    """
    column, architecture = ARCHITECTURES[machine or platform.machine()]
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        _return(KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        program += [(_AT_LEAST, 0, 1, 0x40000000), _return(ERROR | errno.ENOSYS)]  # the x32 entry points
    for name in allowed(policy):
        number = NUMBERS[name][column]
        if number is not None:
            program += [(_EQUAL, 0, 1, number), _return(ALLOW)]
    for name, block in _conditional(policy).items():
        number = NUMBERS[name][column]
        if number is not None:
            program += [(_EQUAL, 0, len(block), number), *block]
    for name in MISSING:
        number = NUMBERS[name][column]
        if number is not None:
            program += [(_EQUAL, 0, 1, number), _return(ERROR | errno.ENOSYS)]
    if not policy.paths:
        for name in BY_PATH:
            number = NUMBERS[name][column]
            if number is not None:
                program += [(_EQUAL, 0, 1, number), _return(ERROR | errno.EACCES)]
    program.append(_return(ERROR | errno.EPERM))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
