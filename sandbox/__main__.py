"""`python -m sandbox`: check a submission, run a snippet, show the isolation, measure."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import settings
from domain import Framework, RunReport, RunStatus, Submission, UserError
from sandbox.backend import Sandbox

BANK = Path(__file__).resolve().parent.parent / "knowledge" / "bank"


def find_check(name: str) -> tuple[Path, Framework]:
    """The check.py that a question id or a path names, and its framework. Raises UserError."""
    path = Path(name)
    if path.suffix != ".py":
        found = sorted(BANK.glob(f"*/{path.name}/check.py"))
        if not found:
            raise UserError(f"No question {name!r} with a check.py in the bank.")
        path = found[0]
    if not path.is_file():
        raise UserError(f"{path} is not a file.")
    return path, _framework_of(path)


def _framework_of(check: Path) -> Framework:
    """What question.yaml beside the check says; without one, BOTH (what the submission imports decides)."""
    try:
        lines = (check.parent / "question.yaml").read_text(encoding="utf-8").splitlines()
    except OSError:
        return Framework.BOTH
    for line in lines:
        if line.startswith("framework:"):
            return Framework(line.split(":", 1)[1].split("#")[0].strip())
    return Framework.BOTH


def _read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UserError(f"{name} cannot be read: {error}") from None


def _print_report(report: RunReport, as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(report) | {"passed": report.passed}, indent=2))
        return
    print(f"{report.status.value}  {report.seconds * 1000:.1f} ms, {report.device}, isolation {report.isolation}")
    for case in report.cases:
        print(
            f"  {'pass' if case.passed else 'FAIL'}  {case.name}: {case.aspect}"
            + (f" - {case.why}" if case.why else "")
        )
        for label, value in case.values:
            print(f"          {label}: {value}")
    if report.error:
        where = f"line {report.error_line}: " if report.error_line else ""
        print(f"  {where}{report.error}")
    if report.stdout_tail:
        print("  output:\n" + report.stdout_tail)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit status: 0 fine, 1 the code failed, 2 it was not run."""
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--level", default="", help="use this isolation level, not the highest (L0 to L3)")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="run a submission against a question's check")
    check.add_argument("question", help="a question's id, or the path of a check.py")
    check.add_argument("file", help="the submission; - reads standard input")
    check.add_argument("--seed", type=int, default=0)
    check.add_argument("--framework", choices=[item.value for item in Framework], default=None)
    run = commands.add_parser("run", help="run a snippet as it is")
    run.add_argument("file", help="the code; - reads standard input")
    run.add_argument("--framework", choices=[item.value for item in Framework], default=Framework.BOTH.value)
    status = commands.add_parser("status", help="show what isolation is in force")
    bench = commands.add_parser("bench", help="measure verdict times, side by side")
    bench.add_argument("--rounds", type=int, default=40, help="warm verdicts of each framework")
    bench.add_argument("--framework", choices=("pytorch", "tensorflow", "both"), default="both")
    for command in (check, run, status, bench):
        command.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    chosen = settings.from_environment()
    if options.command == "bench":
        from sandbox import bench

        figures = bench.measure(Framework(options.framework), options.rounds, options.level)
        print(json.dumps(figures, indent=2) if options.json else bench.table(figures))
        return 0
    sandbox = Sandbox(chosen.sandbox_require, chosen.tf_python, only=options.level)
    try:
        if options.command == "status":
            return _status(sandbox, options.json)
        if options.command == "check":
            path, framework = find_check(options.question)
            framework = Framework(options.framework) if options.framework else framework
            report = sandbox.run(Submission(_read(options.file), framework, path, options.seed))
        else:
            report = sandbox.run(Submission(_read(options.file), Framework(options.framework)))
        _print_report(report, options.json)
        if report.status is RunStatus.BOX_BROKEN:
            return 2
        return 0 if report.status is RunStatus.OK else 1
    finally:
        sandbox.close()


def _status(sandbox: Sandbox, as_json: bool) -> int:
    found = sandbox.status()
    if as_json:
        print(json.dumps(dataclasses.asdict(found), indent=2))
    else:
        print(found.sentence)
        for reason in found.missing:
            print(f"  - {reason}")
    return 0 if found.level != "refuse" else 2


if __name__ == "__main__":
    raise SystemExit(main())
