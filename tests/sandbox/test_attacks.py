"""Attacks that read, forge, escape: each by name, at each level, run in a real box by the whole product.

The attacks of a file run one after the other in one box. That the box really ran is shown by its controls, which do
honest things of the same kind and must succeed, and by each attack saying what became of it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from domain import Case, RunStatus
from sandbox.plan import LEVELS
from tests.sandbox.conftest import plain_sandbox
from tests.sandbox.plain import RIGHT, attack_names, attack_source

_results: dict[tuple[str, str], dict[str, Case]] = {}


@dataclass
class Outside:
    """What there is to reach from a box: a secret file, and sockets that would answer."""

    secret: Path
    port: int
    abstract: str
    pathname: Path


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    """The targets, alive for as long as the attacks run."""
    folder = tmp_path_factory.mktemp("outside")
    secret = folder / "secret"
    secret.write_text("a secret of the service")
    os.environ["VIVA_TEST_SECRET"] = "a secret in the environment"
    abstract = f"viva-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as hidden:
        hidden.bind("\0" + abstract)
        hidden.listen()
        with socket.socket(socket.AF_UNIX) as named:
            named.bind(str(folder / "socket"))
            named.listen()
            (folder / "socket").chmod(0o777)
            yield Outside(secret, tcp.getsockname()[1], abstract, folder / "socket")
    del os.environ["VIVA_TEST_SECRET"]


def results(level: str, file: str, outside: Outside) -> dict[str, Case]:
    """What each attack of the file said at that level."""
    if (level, file) not in _results:
        source = attack_source(
            file,
            outside.secret,
            PORT=str(outside.port),
            ABSTRACT=outside.abstract,
            PATHNAME=str(outside.pathname),
        )
        report = plain_sandbox(level).check(source, "attacks")
        assert report.status is RunStatus.WRONG, report
        assert report.isolation == level
        _results[level, file] = {case.name: case for case in report.cases}
    return _results[level, file]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", attack_names("read"))
def test_nothing_of_ours_can_be_read(level: str, name: str, outside: Outside) -> None:
    case = results(level, "read", outside)[name]
    assert not case.passed, case


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", attack_names("escape"))
def test_nothing_outside_can_be_changed_or_reached(level: str, name: str, outside: Outside) -> None:
    if name.startswith("attack_alone") and level in ("L2", "L3"):
        pytest.skip("a box with namespaces of its own may do this inside them")
    case = results(level, "escape", outside)[name]
    assert not case.passed, case


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("file", ["read", "escape"])
def test_the_box_that_was_attacked_from_was_alive(level: str, file: str, outside: Outside) -> None:
    found = results(level, file, outside)
    controls = {name: case for name, case in found.items() if name.startswith("control_")}
    by_path = {"control_own_file", "control_library", "control_write_own_file", "control_filters_are_closed"}
    for name, case in controls.items():
        assert case.passed or (level == "L0" and name in by_path), case
    assert len(controls) >= 3
    assert set(attack_names(file)) <= set(found)


@pytest.mark.parametrize("level", LEVELS)
def test_the_service_and_its_targets_are_unharmed(level: str, outside: Outside) -> None:
    results(level, "read", outside)
    results(level, "escape", outside)
    assert outside.secret.read_text() == "a secret of the service"
    assert plain_sandbox(level).check(RIGHT).passed
    assert not Path("/etc/viva-attack").exists()
    assert outside.secret.stat().st_mode & 0o777 != 0o777


def test_a_foreign_system_call_ends_the_process() -> None:
    """int 0x80 would number the calls differently; the filter ends the process that tries."""
    code = (
        "import ctypes, mmap, platform\n"
        "page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "print('before', flush=True)\n"
        "print('got', ctypes.CFUNCTYPE(ctypes.c_int)(address)())\n"
    )
    if os.uname().machine != "x86_64":
        pytest.skip("x86_64 alone has it")
    report = plain_sandbox("L3" if os.geteuid() == 0 else "L2").script(code)
    assert "before" in report.stdout_tail
    assert "got" not in report.stdout_tail
    assert report.status is RunStatus.CRASHED
    assert "SIGSYS" in report.error
