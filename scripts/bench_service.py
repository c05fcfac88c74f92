"""From nothing to the first question, and what the service weighs.

`python scripts/bench_service.py [--json]` starts the parts of app.py, without the page, in a process of their own: once
on an empty data folder, and once more on the one it left. Seconds are wall time since that process started. Memory is
the proportional set size (shared pages divided among their users) of the service alone, and with its sandbox.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START = "VIVA_BENCH_STARTED"


def memory(pid: int) -> int:
    """Proportional set size of one process in bytes; 0 when it is gone or may not be looked at."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(after_name[1]), []).append(int(stat.parent.name))
    found, waiting = [], [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def child(data: str) -> dict[str, float]:
    """Run in the measured process: start the parts, ask the first question, wait until all is loaded."""
    sys.path.insert(0, str(ROOT))
    began = float(os.environ[START])
    from app import Viva, quieten
    from domain import Plan, Submission
    from settings import from_environment

    chosen = from_environment({"VIVA_DATA": data})
    chosen.data.mkdir(parents=True, exist_ok=True)
    viva = Viva(chosen)
    quieten(chosen)
    try:
        loading = viva.parts().loading
        loading.begin()
        service = viva.service()
        *_, session = service.begin(service.create().id, Plan())
        assert session.current is not None
        question = time.time() - began
        if not loading.wait(600) or loading.state().failed:
            raise SystemExit(f"loading failed: {loading.state()}")
        ready = time.time() - began
        from knowledge.questions import load_bank
        from sandbox.backend import Sandbox

        assert isinstance(viva.sandbox, Sandbox)
        bank = load_bank()
        for name in ("grad_at", "gd_step"):
            subject = bank.questions[name]
            report = viva.sandbox.run(Submission(subject.model_code, subject.framework, bank.check_path(name)))
            assert report.passed, report
        return {
            "first question, s": question,
            "all loaded, s": ready,
            "service, MiB": memory(os.getpid()) / 2**20,
            "with sandbox, MiB": (memory(os.getpid()) + sum(memory(pid) for pid in descendants(os.getpid()))) / 2**20,
        }
    finally:
        viva.close()


def main() -> int:
    """Print both starts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child)))
        return 0
    found = {}
    with tempfile.TemporaryDirectory() as data:
        for start in ("first start", "second start"):
            environment = os.environ | {START: str(time.time()), "TF_CPP_MIN_LOG_LEVEL": "3"}
            command = [sys.executable, __file__, "--child", data]
            run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            found[start] = json.loads(run.stdout.splitlines()[-1])
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        for start, figures in found.items():
            print(f"{start:>13}  " + "  ".join(f"{name} {value:.1f}" for name, value in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
