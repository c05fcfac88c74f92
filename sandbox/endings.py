"""How a run ends early: exceptions that no check may swallow, and what they say to the person."""

from __future__ import annotations

import signal

from domain import CandidateError, RunStatus

SIGNALS = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGABRT: "aborted",
    signal.SIGKILL: "killed",
    signal.SIGFPE: "arithmetic fault",
    signal.SIGBUS: "bus error",
    signal.SIGILL: "illegal instruction",
    signal.SIGSYS: "forbidden system call",
}
OUT_OF_MEMORY = (
    "not enough memory",
    "can't allocate memory",
    "cannot allocate memory",
    "out of memory",
    "std::bad_alloc",
    "oom when allocating",
    "unable to allocate",
)


class RunEnded(Exception):  # noqa: N818  (an ending, not always an error)
    """The run cannot go on. Not a CandidateError, so that a case does not take it for a finding."""

    def __init__(self, status: RunStatus, error: str, line: int | None = None) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.line = line


class Vanished(RunEnded):
    """The box is gone without a report, or went before the submission was in it. Whose fault: the service decides."""

    def __init__(self, detail: str) -> None:
        super().__init__(RunStatus.BOX_BROKEN, f"The box ended before its time{detail}.")


class ProtocolViolation(RunEnded):
    """A reply that the box's own stub would never give: the submission forged it. CRASHED, never our fault."""

    def __init__(self, what: str) -> None:
        super().__init__(RunStatus.CRASHED, f"The submission broke the connection to the check: {what}.")


def from_error(error: CandidateError) -> RunEnded:
    """The ending that an exception of the submission means, where the check did not expect it."""
    text = str(error)
    if error.type_name == "MemoryError" or error.type_name == "ResourceExhaustedError":
        return RunEnded(RunStatus.OUT_OF_MEMORY, text, error.line)
    lowered = error.message.lower()
    if error.type_name in ("RuntimeError", "OutOfMemoryError", "OSError", "InternalError", "_ArrayMemoryError") and any(
        hint in lowered for hint in OUT_OF_MEMORY
    ):
        return RunEnded(RunStatus.OUT_OF_MEMORY, text, error.line)
    return RunEnded(RunStatus.CRASHED, text, error.line)


def from_report(report: dict[str, object], output_tail: str) -> RunEnded:
    """The ending that the supervisor's report of a dead box means."""
    cause, code = report.get("cause"), report.get("exit")
    if cause == "setup":
        return RunEnded(RunStatus.BOX_BROKEN, f"The box could not be made: {report.get('detail')}")
    if cause == "memory" or any(hint in output_tail[-2000:].lower() for hint in ("std::bad_alloc", "memoryerror")):
        return RunEnded(RunStatus.OUT_OF_MEMORY, "The code used more memory than it may.")
    if cause == "time" or code in (-signal.SIGXCPU,):
        return RunEnded(RunStatus.TIMED_OUT, "The code did not finish in time.")
    if cause in ("threads", "disk"):
        what = "started too many threads" if cause == "threads" else "wrote too many files or too much data"
        return RunEnded(RunStatus.CRASHED, f"The code {what}.")
    if isinstance(code, int) and code < 0:
        try:
            number = signal.Signals(-code)
        except ValueError:
            return RunEnded(RunStatus.CRASHED, f"The process was ended by signal {-code}.")
        words = f" ({SIGNALS[number]})" if number in SIGNALS else ""
        return RunEnded(RunStatus.CRASHED, f"The process was ended by {number.name}{words}.")
    return RunEnded(RunStatus.CRASHED, f"The process ended by itself with exit code {code}.")
