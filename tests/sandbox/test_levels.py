"""The level is what is observed: each is found under the conditions of the machines that allow no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import cgroups, kernel
from sandbox.levels import candidates
from sandbox.plan import LEVELS, Limits, Plan
from tests.sandbox.plain import ROOT

CONDITIONS = {
    "a server": ([], "L3"),
    "a plain user": (["--user", "1000"], "L2"),
    "a container": (["--no-namespaces"], "L1"),
    "a Space": (["--user", "1000", "--no-namespaces"], "L1"),
    "a Space without Landlock": (["--user", "1000", "--no-namespaces", "--no-landlock"], "L0"),
}
RUN = """
import sys
from tests.sandbox.plain import *
import json
sandbox = PlainSandbox(limits=LIMITS)
status = sandbox.status()
right, wrong = sandbox.check(RIGHT), sandbox.check("def double(x):\\n    return 4\\n")
escape = sandbox.script("open('/etc/passwd-', 'a')")
statuses = [right.status, wrong.status, escape.status]
print(json.dumps([sandbox.name, status.level, status.sentence, *statuses, right.isolation]))
sandbox.close()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="changing the user and its conditions needs root")
@pytest.mark.parametrize("name", CONDITIONS)
def test_the_level_of_a_machine_is_found_and_runs_submissions(name: str, tmp_path: Path) -> None:
    """As another user the checkout is read-only and the only place to write is a temporary folder."""
    arguments, level = CONDITIONS[name]
    if level == "L3" and not cgroups.find():
        pytest.skip("no control groups can be made here")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder != Path("/tmp") and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    command = [
        sys.executable,
        "-B",
        "-m",
        "tests.sandbox.conditions",
        *arguments,
        "--",
        sys.executable,
        "-B",
        "-c",
        RUN,
    ]
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    name_of_sandbox, found, sentence, *statuses, isolation = json.loads(done.stdout)
    assert (found, isolation) == (level, level)
    assert f"level {level}" in sentence
    assert statuses == ["ok", "wrong", "crashed"]
    assert not list(tmp_path.iterdir())
    assert not list(Path("/sys/fs/cgroup").glob(f"*/**/{name_of_sandbox}-*"))


def test_plans_are_tried_strongest_first() -> None:
    levels = [plan.level for plan in candidates(Limits())]
    assert levels == sorted(levels, key=LEVELS.index)
    assert levels[-1] == "L0"
    for level in LEVELS:
        assert {plan.level for plan in candidates(Limits(), level)} <= {level}


def test_a_level_is_the_highest_that_is_fully_satisfied() -> None:
    everything = Plan(True, False, True, (("memory", "/x"), ("pids", "/y")), True)
    assert everything.level == "L3"
    assert Plan.from_json(everything.to_json()) == everything
    assert Plan(True, False, True, (), True).level == "L2"
    assert Plan(True, True, False, (), True).level == "L2"
    assert Plan(landlock=True, own_uid=True).level == "L1"
    assert Plan(namespaces=True, own_uid=True, cgroups=(("memory", "/x"),)).level == "L0"


def test_the_service_cannot_be_read_by_others_of_its_user() -> None:
    """Making a Sandbox switches it off; it stays off, since secrets stay."""
    from sandbox.backend import Sandbox

    Sandbox().close()
    assert kernel.dumpable() is False


def test_status_says_it_on_the_command_line() -> None:
    command = [sys.executable, "-m", "sandbox", "status", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    status = json.loads(done.stdout)
    assert done.returncode == 0
    assert status["level"] in LEVELS
    assert status["sentence"].startswith(f"Submitted code runs at isolation level {status['level']}")
    required = os.environ | {"VIVA_SANDBOX_REQUIRE": "L3"}
    refused = subprocess.run(
        [sys.executable, "-m", "sandbox", "--level", "L1", "status"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env=required,
    )
    assert refused.returncode == 2
    assert "require L3" in refused.stdout
