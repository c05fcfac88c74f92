"""Verdict times, side by side in one run: a cold process, a box on demand, a warm spare; throughput and memory."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from domain import Framework, RunStatus, Submission
from sandbox.backend import WANTED, Sandbox
from sandbox.servers import ROOT

CHECK = """
import numpy as np
from sandbox.toolkit import case, expect_close, tensor

def check(box, rng):
    function = box.get(box.load(), "softplus")
    x, v = rng.normal(size=(8, 5)), rng.normal(size=(8, 5))
    value = lambda: expect_close(box.call(function, tensor(x)), np.log1p(np.exp(x)), dtype="float32")
    yield case("value", "the value", value)
    def gradient():
        found = box.vjp(function, [tensor(x)], [tensor(v)])
        expect_close(found.gradients[0], v / (1 + np.exp(-x)))
    yield case("gradient", "the gradient", gradient)
    def double():
        found = box.vjp(function, [tensor(x)], [tensor(v)], [tensor(v)])
        s = 1 / (1 + np.exp(-x))
        expect_close(found.second[0], v * v * s * (1 - s))
    yield case("double", "the double backward", double)
    empty = lambda: expect_close(box.call(function, tensor(np.zeros((0, 5)))), np.zeros((0, 5)))
    yield case("empty", "an empty input", empty)
"""
CODE = {
    Framework.PYTORCH: "import torch\n\ndef softplus(x):\n    return torch.log1p(torch.exp(x))\n",
    Framework.TENSORFLOW: "import tensorflow as tf\n\ndef softplus(x):\n    return tf.math.log1p(tf.exp(x))\n",
}


def measure(framework: Framework, rounds: int, level: str = "") -> dict[str, Any]:
    """All figures as a mapping fit for JSON; times in milliseconds, memory in MiB."""
    wanted = [item for item in WANTED if framework in (item, Framework.BOTH)]
    with tempfile.TemporaryDirectory() as folder:
        check = Path(folder) / "check.py"
        check.write_text(CHECK, encoding="utf-8")
        figures: dict[str, Any] = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
        for item in wanted:
            figures[item.value] = _measure_one(item, check, Path(folder), rounds, level)
    return figures


def _measure_one(framework: Framework, check: Path, folder: Path, rounds: int, level: str) -> dict[str, Any]:
    file = folder / f"{framework.value}.py"
    file.write_text(CODE[framework], encoding="utf-8")
    submission = Submission(CODE[framework], framework, check, 1)
    command = [sys.executable, "-m", "sandbox.cold", str(check), str(file), framework.value]

    def cold() -> None:
        subprocess.run(
            command, cwd=ROOT, check=True, env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}, stderr=subprocess.DEVNULL
        )

    result: dict[str, Any] = {"cold process": _spread(_times(cold, 3))}
    for name, spares, count in (("box on demand", 0, max(5, rounds // 4)), ("warm spare", None, rounds)):
        sandbox = Sandbox(only=level, spares=spares)
        try:
            _right(sandbox, submission)
            if spares is None:
                _wait_ready(sandbox, framework)
            before = partial(_wait_ready, sandbox, framework) if spares is None else _nothing
            result[name] = _spread(_times(partial(_right, sandbox, submission), count, before))
            if spares is None:
                result["isolation"] = sandbox.status().level
                result["sustained verdicts a second"] = _throughput(sandbox, submission, rounds)
                result |= _server_figures(sandbox, framework)
        finally:
            sandbox.close()
    result["times faster than a cold process"] = round(result["cold process"]["p50"] / result["warm spare"]["p50"], 1)
    return result


def _right(sandbox: Sandbox, submission: Submission) -> None:
    report = sandbox.run(submission)
    if report.status is not RunStatus.OK:
        raise RuntimeError(f"the benchmark's own submission ended as {report.status}: {report.error}")


def _wait_ready(sandbox: Sandbox, framework: Framework) -> None:
    """Until every spare is back: what a person meets who submits a minute later."""
    while not sandbox.full(framework):
        threading.Event().wait(0.002)


def _nothing() -> None:
    """No pause."""


def _times(action: Callable[[], None], count: int, before: Callable[[], None] = _nothing) -> list[float]:
    times = []
    for _ in range(count):
        before()
        started = time.perf_counter()
        action()
        times.append((time.perf_counter() - started) * 1000)
    return times


def _spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"p50": round(statistics.median(ordered), 2), "p95": round(p95, 2), "runs": len(ordered)}


def _throughput(sandbox: Sandbox, submission: Submission, rounds: int) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: _right(sandbox, submission), range(rounds)))
    return round(rounds / (time.perf_counter() - started), 1)


def _server_figures(sandbox: Sandbox, framework: Framework) -> dict[str, Any]:
    _wait_ready(sandbox, framework)
    server = sandbox.server(framework)
    if server is None:
        return {}
    boxes = WANTED[framework]
    private = [_private(pid) for pid in _descendants(server.pid)]
    known = [value for value in private if value is not None]
    mib = 1 << 20
    return {
        "fork server": {"start seconds": round(server.seconds, 2), "memory MiB": round(server.memory / mib, 1)},
        "private memory of an idle box MiB": round(sum(known) / boxes / mib, 2) if known else None,
    }


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                text = (entry / "stat").read_text()
                parent = int(text[text.rindex(")") + 2 :].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child)
    return found


def _private(pid: int) -> int | None:
    """Bytes that only this process holds; None where the machine does not let us see it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [f"{figures['cores']} cores, load {figures['load']}", ""]
    lines += [
        "| | cold process | box on demand | warm spare | times faster | verdicts/s | idle box |",
        "|---|" + "---|" * 6,
    ]
    for name, row in figures.items():
        if isinstance(row, dict):
            cells = [
                f"{row[key]['p50']} / {row[key]['p95']} ms" for key in ("cold process", "box on demand", "warm spare")
            ]
            cells += [
                str(row["times faster than a cold process"]),
                str(row["sustained verdicts a second"]),
                f"{row.get('private memory of an idle box MiB')} MiB",
            ]
            lines.append(f"| {name} ({row['isolation']}) | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", "Times are p50 / p95."])
