"""Submissions that use up what there is: time, memory, processes, threads, disk, descriptors, output.

Each runs at each level, several at once. Each must end with the right status, in bounded time, and leave nothing.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from domain import RunReport, RunStatus
from sandbox.plan import LEVELS
from tests.sandbox.conftest import plain_sandbox
from tests.sandbox.plain import LIMITS, RIGHT

CRASHED, LATE, FULL, OK = RunStatus.CRASHED, RunStatus.TIMED_OUT, RunStatus.OUT_OF_MEMORY, RunStatus.OK


@dataclass(frozen=True)
class Bomb:
    """A submission, the statuses that are right, and whether it needs to fork or to open files."""

    code: str
    allowed: tuple[RunStatus, ...]
    forks: bool = False
    files: bool = False


BOMBS = {
    "endless loop": Bomb("while True: pass", (LATE,)),
    "sleep": Bomb("import time; time.sleep(60)", (LATE,)),
    "blocked signals": Bomb(
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\nwhile True: pass", (LATE,)
    ),
    "ignored limits": Bomb(
        "import signal\nfor n in (signal.SIGXCPU, signal.SIGTERM, signal.SIGALRM): signal.signal(n, signal.SIG_IGN)\n"
        "while True: pass",
        (LATE,),
    ),
    "catches everything": Bomb(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass", (LATE,)
    ),
    "endless regular expression": Bomb("import re; re.match(r'(a+)+b', 'a' * 60)", (LATE,)),
    "endless power": Bomb("x = 9 ** 9 ** 9", (LATE, FULL)),
    "memory by touch": Bomb("x = bytearray(4 << 30)", (FULL,)),
    "memory by growing": Bomb("x = []\nwhile True: x.append(bytes(1 << 20))", (FULL,)),
    "memory by numpy": Bomb("import numpy as np; x = np.ones((1 << 15, 1 << 15))", (FULL,)),
    "memory by mapping": Bomb(
        "import mmap\nx = []\nwhile True:\n    m = mmap.mmap(-1, 16 << 20)\n    m.write(b'1' * (16 << 20))\n"
        "    x.append(m)",
        (FULL, CRASHED),
    ),
    "memory file": Bomb("import os; os.memfd_create('x')", (CRASHED,)),
    "thread bomb": Bomb(
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        (CRASHED, FULL, LATE),  # refused a thread, the interpreter may hang at its end
    ),
    "small thread bomb": Bomb(
        "import threading, time\nthreading.stack_size(32768)\n"
        "while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        (CRASHED, FULL, LATE),  # refused a thread, the interpreter may hang at its end
    ),
    "fork": Bomb("import os\nos.fork()", (CRASHED, OK), forks=True),
    "fork bomb": Bomb("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", (LATE, CRASHED, FULL)),
    "memory by forks": Bomb(
        "import os, time\nfor _ in range(40):\n    try:\n        if os.fork() == 0:\n"
        "            x = bytearray(100 << 20)\n            time.sleep(60)\n    except OSError: raise\ntime.sleep(60)",
        (FULL, CRASHED, LATE),
        forks=True,
    ),
    "daemon": Bomb(
        "import os, time\nif os.fork() == 0:\n    os.setsid() if hasattr(os, 'setsid') else None\n"
        "    if os.fork() == 0:\n        time.sleep(120)\n    os._exit(0)\n",
        (OK, CRASHED),
        forks=True,
    ),
    "one large file": Bomb(
        "f = open('big', 'wb')\nwhile True: f.write(bytes(1 << 20)); f.flush()", (CRASHED,), files=True
    ),
    "many large files": Bomb(
        "i = 0\nwhile True:\n    i += 1\n    with open(f'f{i}', 'wb') as f: f.write(bytes(1 << 20))",
        (CRASHED, FULL),
        files=True,
    ),
    "many files": Bomb("i = 0\nwhile True:\n    i += 1\n    open(f'f{i}', 'wb').close()", (CRASHED,), files=True),
    "deep folders": Bomb("import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')", (CRASHED,), files=True),
    "files in long folders": Bomb(
        "import os\nfor _ in range(15):\n    os.mkdir('d' * 250)\n    os.chdir('d' * 250)\ni = 0\n"
        "while True:\n    i += 1\n    with open(f'{i:0250}', 'wb') as f: f.write(bytes(1 << 20))",
        (CRASHED,),
        files=True,
    ),
    "files in a folder that cannot be read": Bomb(
        "import os\nos.mkdir('d', 0o300)\nos.chdir('d')\ni = 0\n"
        "while True:\n    i += 1\n    with open(f'{i}', 'wb') as f: f.write(bytes(1 << 20))",
        (CRASHED,),
        files=True,
    ),
    "many links": Bomb("import os\nfor i in range(10**6): os.symlink('x', f'l{i}')", (CRASHED,), files=True),
    "descriptors": Bomb("import os\nx = []\nwhile True: x.append(os.dup(1))", (CRASHED,)),
    "pipes": Bomb("import os\nx = []\nwhile True: x.append(os.pipe())", (CRASHED,)),
    "endless output": Bomb("import os\nx = b'x' * 65536\nwhile True: os.write(1, x)", (LATE,)),
    "endless error output": Bomb("import sys\nwhile True: print('x' * 10000, file=sys.stderr)", (LATE,)),
    "a gigabyte of output": Bomb(
        "import os\nx = b'x' * 65536\nfor _ in range(1 << 14): os.write(1, x)\nos.write(1, b'the end')", (OK, LATE)
    ),
    "output without an end of line": Bomb("import sys\nsys.stdout.write('x' * (8 << 20))", (OK,)),
    "segmentation fault": Bomb("import ctypes; ctypes.string_at(0)", (CRASHED,)),
    "abort": Bomb("import os; os.abort()", (CRASHED,)),
    "kill": Bomb("import os, time; os.kill(os.getpid(), 9); time.sleep(1)", (CRASHED,)),
    "deep recursion": Bomb("def f(): return f()\nf()", (CRASHED,)),
    "C stack overflow": Bomb(
        "import sys; sys.setrecursionlimit(10**9)\nclass A:\n    def __repr__(self): return repr(self)\nrepr(A())",
        (CRASHED, FULL),
    ),
    "deep syntax": Bomb("(" * 100000, (CRASHED, FULL)),
    "null byte": Bomb("x = 1\0", (CRASHED,)),
    "syntax error": Bomb("x = 1\ndef f(:\n    pass\n", (CRASHED,)),
    "exit by number": Bomb("raise SystemExit(7)", (CRASHED,)),
    "exit by text": Bomb("raise SystemExit('no')", (CRASHED,)),
    "keyboard interrupt": Bomb("raise KeyboardInterrupt", (CRASHED,)),
    "hard exit": Bomb("import os; os._exit(0)", (CRASHED,)),
}

_results: dict[str, dict[str, RunReport]] = {}


def results(level: str) -> dict[str, RunReport]:
    """How each of them ended at that level; they run four at a time."""
    if level not in _results:
        sandbox = plain_sandbox(level)
        with ThreadPoolExecutor(4) as threads:
            codes = [f"print('it ran', flush=True)\n{bomb.code}" for bomb in BOMBS.values()]
            _results[level] = dict(zip(BOMBS, threads.map(sandbox.script, codes), strict=True))
    return _results[level]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_with_the_right_status(level: str, name: str) -> None:
    bomb, report = BOMBS[name], results(level)[name]
    allowed = bomb.allowed
    if (bomb.forks and level in ("L0", "L1")) or (bomb.files and level == "L0"):
        allowed = (CRASHED,)  # PermissionError
    assert report.status in allowed, report
    if "syntax" not in name and name != "null byte":
        assert "it ran" in report.stdout_tail or len(report.stdout_tail) > 60000, report
    assert len(report.stdout_tail) <= 64 << 10
    assert report.seconds < LIMITS.seconds * 6


@pytest.mark.parametrize("level", LEVELS)
def test_after_all_of_them_a_right_answer_is_right(level: str) -> None:
    results(level)
    report = plain_sandbox(level).check(RIGHT)
    assert report.passed, report


@pytest.mark.parametrize("level", LEVELS)
def test_they_leave_nothing_behind(level: str) -> None:
    """Boxes end within moments, and with them their processes, control groups and folders."""
    results(level)
    sandbox = plain_sandbox(level)
    found = left_over(sandbox.name, sandbox.folder)
    until = time.monotonic() + 20
    while found and time.monotonic() < until:
        time.sleep(0.05)
        found = left_over(sandbox.name, sandbox.folder)
    assert not found


def left_over(name: str, folder: str) -> list[str]:
    """Working folders, control groups (but for the waiting spares') of a sandbox, and what sleeps as a daemon."""
    groups = [str(path) for path in Path("/sys/fs/cgroup").glob(f"memory/**/{name}-*")] if os.geteuid() == 0 else []
    folders = [str(path) for path in Path(folder).glob("work-*")]
    allowed = 2
    return [*(groups if len(groups) > allowed else []), *(folders if len(folders) > allowed else [])]


def test_errors_name_the_line_of_the_submission() -> None:
    sandbox = plain_sandbox("L1")
    report = sandbox.script("x = 1\ndef f(:\n    pass\n")
    assert (report.error_line, report.error.split(":")[0]) == (2, "SyntaxError")
    report = sandbox.script("import json\n\njson.loads('{')\n")
    assert report.error_line == 3
    report = sandbox.check("def double(x):\n    y = x\n    return y + unknown\n")
    assert "line 3" in report.cases[0].why


def test_output_keeps_its_end() -> None:
    report = plain_sandbox("L1").script("for i in range(100000): print(i)\nprint('the end')")
    assert report.status is OK
    assert report.stdout_tail.endswith("99999\nthe end\n")
    assert len(report.stdout_tail) <= 64 << 10


def test_a_script_that_exits_with_nought_is_fine() -> None:
    report = plain_sandbox("L1").script("import sys\nif __name__ == '__main__':\n    print('main')\n    sys.exit()")
    assert report.status is OK
    assert report.stdout_tail == "main\n"


def test_too_long_a_submission_is_the_candidates_fault() -> None:
    assert plain_sandbox("L1").script("#" * (2 << 20)).status is CRASHED
