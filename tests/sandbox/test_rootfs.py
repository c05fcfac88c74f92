"""The private root of a box, built in a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from domain import Framework, RunStatus, Submission
from sandbox import kernel, rootfs
from tests.sandbox.plain import LIMITS, PlainSandbox


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a mount namespace without a user namespace")
def test_libraries_below_tmp_are_seen_and_cannot_be_written(tmp_path: Path) -> None:
    """An environment installed below /tmp must not vanish behind the box's own /tmp."""
    assert tmp_path.is_relative_to("/tmp"), "this test needs pytest's folder below /tmp"
    library, point = tmp_path / "library", tmp_path / "root"
    library.mkdir()
    point.mkdir()
    (library / "module.py").write_text("found = True")
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        try:
            kernel.unshare(kernel.NEW_MOUNTS)
            rootfs.enter(str(point), ["/usr", str(library)], megabytes=8, files=64)
            Path("/tmp/own").write_text("writable")
            told = (library / "module.py").read_text()
            try:
                (library / "module.py").write_text("changed")
            except OSError as error:
                told += f" {error.errno}"
            os.write(send, told.encode())
        except OSError as error:
            os.write(send, f"{error}".encode())
        finally:
            os._exit(0)
    os.close(send)
    os.waitpid(child, 0)
    told = os.read(receive, 1000).decode()
    os.close(receive)
    assert told == "found = True 30"


def test_an_environment_behind_a_link_can_still_be_imported_from(tmp_path: Path) -> None:
    """A box sees no link to its libraries, and must find what it imports only when the submission asks for it."""
    linked = tmp_path / "linked"
    linked.symlink_to(sys.prefix)
    sandbox = PlainSandbox(limits=LIMITS, tf_python=str(linked / "bin" / Path(sys.executable).name))
    try:
        report = sandbox.run(Submission("import yaml\nprint(yaml.safe_load('a: 1'))", Framework.TENSORFLOW))
    finally:
        sandbox.close()
    assert report.status is RunStatus.OK, report.error
    assert "{'a': 1}" in report.stdout_tail
