"""The system call filter: its numbers, its shape, and its decisions, worked out by running it here."""

from __future__ import annotations

import ctypes
import errno
import struct

import pytest

from sandbox.seccomp import ALLOW, ARCHITECTURES, ERROR, KILL, Policy, assemble
from sandbox.syscall_numbers import NUMBERS

POLICIES = {
    "alone": Policy(pid=1234),
    "sealed": Policy(paths=False, pid=1234),
    "contained": Policy(processes=True, sockets=True, attributes=True),
    "gpu": Policy(accelerator=True, pid=1234),
}


def decide(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would decide: the program run on one struct seccomp_data."""
    data = struct.pack("=iIQ6Q", number, architecture, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    instructions = [struct.unpack_from("=HBBI", program, place) for place in range(0, len(program), 8)]
    accumulator, place = 0, 0
    while True:
        code, yes, no, constant = instructions[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif code == 0x06:
            return int(constant)
        else:
            tests = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: accumulator & constant}
            place += yes if tests[code] else no


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_numbers_are_libseccomps(machine: str) -> None:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp is not installed")
    column, architecture = ARCHITECTURES[machine]
    for name, numbers in NUMBERS.items():
        found = library.seccomp_syscall_resolve_name_arch(ctypes.c_uint32(architecture), name.encode())
        assert (numbers[column] if numbers[column] is not None else -1) == max(found, -1), name


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("name", POLICIES)
def test_every_program_is_one_the_kernel_takes(machine: str, name: str) -> None:
    """At most 4096 instructions, every jump forward and inside, a return at the end."""
    program = assemble(POLICIES[name], machine)
    instructions = list(struct.iter_unpack("=HBBI", program))
    assert len(instructions) < 4096
    for place, (code, yes, no, _) in enumerate(instructions):
        if code in (0x15, 0x35, 0x45):
            assert place + 1 + max(yes, no) < len(instructions)
    assert instructions[-1][0] == 0x06


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_decisions(machine: str) -> None:
    column, architecture = ARCHITECTURES[machine]
    refused, missing, sealed = ERROR | errno.EPERM, ERROR | errno.ENOSYS, ERROR | errno.EACCES

    def ask(policy: str, name: str, *arguments: int) -> int:
        number = NUMBERS[name][column]
        assert number is not None
        return decide(assemble(POLICIES[policy], machine), architecture, number, *arguments)

    for policy in POLICIES:
        assert ask(policy, "read") == ALLOW
        assert ask(policy, "clone3") == missing
        assert ask(policy, "prctl", 4, 1) == refused
        assert ask(policy, "prctl", 15) == ALLOW
        assert ask(policy, "prctl", 1, 0) == refused
        assert ask(policy, "fcntl", 3, 8, 1) == refused
        assert ask(policy, "fcntl", 3, 10, 9) == refused
        assert ask(policy, "fcntl", 3, 1030) == ALLOW
        assert ask(policy, "prlimit64", 5) == refused
        assert ask(policy, "ioctl", 0, 0x5412) == refused
        assert ask(policy, "ioctl", 0, (1 << 32) | 0x5412) == refused
        assert ask(policy, "clone", 0x10000000 | 0x10000) == refused
        assert ask(policy, "clone", 0x10F00) == ALLOW
        assert ask(policy, "socket", 2) == refused
        assert decide(assemble(POLICIES[policy], machine), architecture, 999) == refused
        assert decide(assemble(POLICIES[policy], machine), 0x40000003, 1) == KILL
    assert ask("alone", "clone", 17) == refused
    assert ask("alone", "clone", 0x10F00 & ~0x400) == refused
    for address in (0x7F0000001000, 0x1000, 1 << 32):
        assert ask("alone", "sendto", 3, 0, 1, 0, address) == refused
        assert ask("contained", "sendto", 3, 0, 1, 0, address) == ALLOW
    assert ask("alone", "sendto", 3, 0x1000, 1, 0, 0) == ALLOW
    assert ask("alone", "sendmsg", 3) == refused
    assert ask("contained", "sendmsg", 3) == ALLOW
    assert ask("contained", "clone", 17) == ALLOW
    assert ask("alone", "kill", 1234, 9) == ALLOW
    assert ask("alone", "kill", 1, 9) == refused
    assert ask("alone", "kill", (1 << 64) - 1, 9) == refused
    assert ask("contained", "kill", 1, 9) == ALLOW
    assert ask("contained", "socket", 1) == ALLOW
    assert ask("contained", "setsockopt", 3, 1, 2) == ALLOW
    assert ask("contained", "setsockopt", 3, 1, 26) == refused
    assert ask("contained", "setsockopt", 3, 6, 2) == refused
    assert ask("alone", "socket", 1) == refused
    assert ask("alone", "openat") == ALLOW
    assert ask("sealed", "openat") == sealed
    assert ask("alone", "fchmod") == refused
    assert ask("contained", "fchmod") == ALLOW
    assert ask("alone", "memfd_create") == refused
    assert ask("gpu", "memfd_create") == ALLOW
    assert ask("gpu", "ioctl", 3, 0xC020462A) == ALLOW
    if machine == "x86_64":
        assert decide(assemble(POLICIES["alone"], machine), architecture, 0x40000000) == missing
        assert ask("alone", "fork") == refused
