"""Our own processes fail, or are killed, or are asked too much: the next verdict is right and nothing is left."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from domain import Framework, RunStatus, Submission, UserError
from sandbox.plan import Limits
from tests.sandbox.conftest import plain_sandbox
from tests.sandbox.plain import CHECKS, LIMITS, RIGHT, ROOT, PlainSandbox

BEST = "L3" if os.geteuid() == 0 else "L2"


@pytest.fixture
def own() -> Iterator[PlainSandbox]:
    """A sandbox that a test may harm."""
    sandbox = PlainSandbox(limits=LIMITS)
    yield sandbox
    sandbox.close()


def eventually(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether it becomes true in time; for what ends in other processes without telling us."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def gone(pid: int) -> bool:
    """Whether the process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_killed_fork_server_is_replaced(own: PlainSandbox) -> None:
    assert own.check(RIGHT).passed
    server = own.server(Framework.PYTORCH)
    assert server is not None
    os.kill(server.pid, signal.SIGKILL)
    assert eventually(lambda: not server.alive)
    assert own.check(RIGHT).passed


def test_a_fork_server_killed_in_the_middle_costs_no_verdict(own: PlainSandbox) -> None:
    slow = "import time\nprint('it ran', flush=True)\ntime.sleep(1.0)\n" + RIGHT
    assert own.check(RIGHT).passed
    server = own.server(Framework.PYTORCH)
    assert server is not None
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(own.check, slow)
        time.sleep(0.5)
        os.kill(server.pid, signal.SIGKILL)
        report = running.result()
    assert report.passed, report


def test_a_box_that_died_while_it_waited_is_not_used(own: PlainSandbox) -> None:
    assert own.check(RIGHT).passed
    assert eventually(lambda: own.full(Framework.PYTORCH))
    server = own.server(Framework.PYTORCH)
    assert server is not None
    for pid in children(server.pid):
        os.kill(pid, signal.SIGKILL)
    assert own.check(RIGHT).passed


def test_a_killed_check_process_costs_no_verdict(own: PlainSandbox) -> None:
    assert own.check(RIGHT).passed
    check_server = own.check_server
    assert check_server is not None
    for pid in children(check_server.pid):
        os.kill(pid, signal.SIGKILL)
    assert own.check(RIGHT).passed
    os.kill(check_server.pid, signal.SIGKILL)
    assert eventually(lambda: not check_server.alive)
    assert own.check(RIGHT).passed


def children(parent: int) -> list[int]:
    """The processes that a process has forked."""
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(pid) for pid in found.split()]


def test_more_submissions_than_boxes_all_get_their_verdict() -> None:
    sandbox = plain_sandbox(BEST)
    codes = [RIGHT if number % 2 else "def double(x):\n    return x\n" for number in range(16)]
    with ThreadPoolExecutor(8) as threads:
        passed = [report.passed for report in threads.map(sandbox.check, codes)]
    assert passed == [bool(number % 2) for number in range(16)]


def test_an_endless_submission_does_not_block_another() -> None:
    sandbox = plain_sandbox(BEST)
    assert sandbox.check(RIGHT).passed
    with ThreadPoolExecutor(1) as threads:
        endless = threads.submit(sandbox.check, "while True: pass")
        assert sandbox.check(RIGHT).seconds < LIMITS.seconds
        assert endless.result().status is RunStatus.TIMED_OUT


def test_two_runs_do_not_see_each_other() -> None:
    """One leaves files in every place that it can write; the other looks for them while the first still runs."""
    places = "for place in (os.environ['HOME'], '/tmp', '/dev/shm', '/var/tmp'):\n"
    leave = (
        f"import os, time\n{places}    try: open(place + '/left', 'w').write('x')\n    except OSError: pass\n"
        "print('left', flush=True)\ntime.sleep(2)"
    )
    look = (
        f"import os\nfound = []\n{places}    try: found += [n for n in os.listdir(place) if n == 'left']\n"
        "    except OSError: pass\nprint('found', found)"
    )
    for level in ("L3", "L2", "L1"):
        sandbox = plain_sandbox(level)
        with ThreadPoolExecutor(2) as threads:
            one = threads.submit(sandbox.script, leave)
            time.sleep(1.0)
            two = threads.submit(sandbox.script, look)
            assert one.result().stdout_tail == "left\n"
            assert two.result().stdout_tail == "found []\n", level


def test_closing_leaves_no_process_group_or_folder() -> None:
    sandbox = PlainSandbox(limits=LIMITS)
    assert sandbox.check(RIGHT).passed
    servers = [sandbox.server(Framework.PYTORCH), sandbox.check_server]
    pids = [server.pid for server in servers if server is not None]
    pids += [child for pid in pids for child in children(pid)]
    assert len(pids) >= 4
    sandbox.close()
    assert all(gone(pid) for pid in pids)
    assert not Path(sandbox.folder).exists()
    assert not list(Path("/sys/fs/cgroup").glob(f"*/**/{sandbox.name}-*"))
    report = sandbox.check(RIGHT)
    assert report.status is RunStatus.BOX_BROKEN
    assert "closed" in report.error


def test_a_killed_service_leaves_nothing() -> None:
    """SIGKILL lets nobody tidy up: the fork servers notice that the socket has closed."""
    code = (
        "import sys\nfrom tests.sandbox.plain import *\nfrom domain import Framework\n"
        "sandbox = PlainSandbox(limits=LIMITS)\nassert sandbox.check(RIGHT).passed\n"
        "print(sandbox.folder, sandbox.name, sandbox.server(Framework.PYTORCH).pid, sandbox.check_server.pid)\n"
        "sys.stdout.flush()\n"
        "sandbox.check('while True: pass')\n"
    )
    service = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    folder, name, *servers = service.stdout.readline().split()
    pids = [int(server) for server in servers]
    pids += [child for pid in pids for child in children(pid)]
    service.kill()
    service.wait()
    service.stdout.close()
    assert eventually(lambda: all(gone(pid) for pid in pids))
    assert eventually(lambda: not Path(folder).exists())
    assert eventually(lambda: not list(Path("/sys/fs/cgroup").glob(f"*/**/{name}-*")))


def test_a_required_level_that_is_not_there_runs_nothing() -> None:
    sandbox = PlainSandbox(require="L2", only="L1", limits=LIMITS)
    try:
        status = sandbox.status()
        assert status.level == "refuse"
        assert "require L2" in status.sentence
        report = sandbox.check(RIGHT)
        assert report.status is RunStatus.BOX_BROKEN
        assert report.error == status.sentence
    finally:
        sandbox.close()
    with pytest.raises(UserError, match="L9"):
        PlainSandbox(require="L9")


def test_a_broken_check_is_ours(tmp_path: Path) -> None:
    """Before the submission is loaded, and where a name of the check is wrong, the candidate cannot be at fault."""
    sandbox = plain_sandbox(BEST)
    for source in ("def check(box, rng):\n    return nowhere\n    yield", "syntax error", "x = 1"):
        check = tmp_path / "check.py"
        check.write_text(source)
        report = sandbox.run(Submission(RIGHT, Framework.PYTORCH, check))
        assert report.status is RunStatus.BOX_BROKEN, report
    report = sandbox.run(Submission(RIGHT, Framework.PYTORCH, tmp_path / "absent.py"))
    assert report.status is RunStatus.BOX_BROKEN


def test_a_check_that_trips_over_a_strange_value_blames_the_submission(tmp_path: Path) -> None:
    check = tmp_path / "check.py"
    check.write_text(
        "from domain import Case\ndef check(box, rng):\n"
        "    value = box.call(box.get(box.load(), 'double'), 2)\n    yield Case('a', 'b', value.shape == ())\n"
    )
    report = plain_sandbox(BEST).run(Submission(RIGHT, Framework.PYTORCH, check))
    assert report.status is RunStatus.CRASHED
    assert "could not use" in report.error


def test_a_check_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    """A hostile value can send a loop of the check astray."""
    check = tmp_path / "check.py"
    check.write_text("def check(box, rng):\n    box.load()\n    while True: pass\n    yield\n")
    sandbox = PlainSandbox(limits=Limits(seconds=0.5))
    try:
        assert sandbox.run(Submission(RIGHT, Framework.PYTORCH, check)).status is RunStatus.TIMED_OUT
        assert sandbox.check(RIGHT).passed
    finally:
        sandbox.close()


def test_a_report_says_what_a_replay_needs() -> None:
    report = plain_sandbox(BEST).check(RIGHT, seed=11)
    assert report.seed == 11
    assert report.check_hash == hashlib.sha256((CHECKS / "double.py").read_bytes()).hexdigest()
    assert dict(report.versions)["python"] == sys.version.split()[0]
    assert report.isolation == BEST
    assert report.device == "cpu"
    assert len(report.id) == 16
    json.dumps(report.stdout_tail)
