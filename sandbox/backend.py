"""Runs submitted code and gives its verdict: `domain.SandboxBackend`.

What is covered, in short (docs/sandbox.md has all of it): the submission runs in a process that was confined before
the submission arrived, and is used for nothing else; expected values and the comparison live in another process,
which drives it over a narrow protocol and takes every reply for hostile; files, processes, network, memory, time and
output are bounded. What is not: a fault in the kernel's own isolation, timing and cache side channels between
processes, and what a submission can learn by being asked (hidden inputs pass through it, expected values do not).
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import secrets
import threading
import time
from typing import Any

from domain import Case, Framework, RunReport, RunStatus, SandboxStatus, Submission, UserError
from sandbox import cgroups, gpu, kernel, levels
from sandbox.plan import LEVELS, Limits, Plan
from sandbox.pool import Spares, Workers
from sandbox.servers import ForkServer, IdleBox, Setup, Worker
from sandbox.tidy import remove_tree
from sandbox.wire import FrameError

MAX_CODE = 1 << 20
OVERTIME = 4.0
TRIES = 3
WANTED = {Framework.PYTORCH: 2, Framework.TENSORFLOW: 1}


class Sandbox:
    """The backend of one machine. Every method may be called from any thread.

    `require` is the lowest level at which anything runs ("" accepts each). `tf_python` names an interpreter whose
    TensorFlow sees a GPU. `only` takes one level even where a higher one is possible (for tests and benchmarks),
    `limits` what a submission may use, `spares` how many boxes of a framework wait warm. Making one makes the
    calling process unreadable to others of its user
    (PR_SET_DUMPABLE off), since it holds secrets.
    """

    def __init__(
        self,
        require: str = "",
        tf_python: str = "",
        *,
        only: str = "",
        limits: Limits | None = None,
        spares: int | None = None,
    ) -> None:
        for level in (require, only):
            if level and level not in LEVELS:
                raise UserError(f"{level!r} is not a sandbox level; levels are {', '.join(LEVELS)}.")
        self._require, self._tf_python, self._only = require, tf_python, only
        self._limits = limits or Limits()
        self._wanted = WANTED if spares is None else dict.fromkeys(WANTED, spares)
        self.name = f"viva-{os.getpid()}-{secrets.token_hex(4)}"
        self.folder = ""  # made when first needed: from then on a server is there that tidies up after a kill
        self._lock = threading.RLock()
        self._found: levels.Found | None = None
        self._closed = False
        self._slots = threading.BoundedSemaphore(max(4, 2 * (os.cpu_count() or 1)))
        self._gpu: bool | None = None
        self._gpu_lock = threading.Lock()
        self._gpu_slot = threading.BoundedSemaphore(1)  # one job at a time
        self._meter: gpu.Meter | None = None
        self._workers = Workers(lambda: Setup("check"))
        self._spares = {framework: self._make_spares(framework) for framework in WANTED}
        kernel.set_dumpable(False)

    def _make_spares(self, framework: Framework) -> Spares:
        def setup() -> Setup:
            python = self._tf_python if framework is Framework.TENSORFLOW else ""
            plain = Setup(self.role(framework), self._plan().to_json(), self.folder, self.name, python)
            files = gpu.device_files()
            if not files or plain.role not in (Framework.PYTORCH, Framework.TENSORFLOW):
                return plain
            with_gpu = dataclasses.replace(plain, gpu=True, devices=files)
            if framework is Framework.TENSORFLOW:
                return with_gpu if self._tf_python else plain
            return with_gpu if self._has_gpu(with_gpu) else plain

        return Spares(setup, self._wanted[framework])

    def _has_gpu(self, setup: Setup) -> bool:
        """Whether PyTorch boxes use the GPU here; found out once, in a trial box."""
        with self._gpu_lock:
            if self._gpu is None:
                self._gpu = not gpu.works(setup)
                with contextlib.suppress(OSError):
                    self._meter = gpu.Nvml() if self._gpu else None
            return self._gpu

    def role(self, framework: Framework) -> str:
        """What the boxes of a framework have imported: the framework; tests have them import nothing."""
        return framework.value

    def _find(self) -> levels.Found:
        with self._lock:
            if self._closed:
                raise UserError("The sandbox is closed.")
            if self._found is None:
                self.folder = self.folder or levels.make_folder()
                self._found = levels.find(self.folder, self.name, self._limits, self._require, self._only)
            return self._found

    def _plan(self) -> Plan:
        found = self._find()
        if found.plan is None:
            raise UserError(found.status.sentence)
        return found.plan

    def status(self) -> SandboxStatus:
        """What isolation is in force; the first call finds out (about a second)."""
        status = self._find().status
        ready = tuple(framework for framework, spares in self._spares.items() if spares.ready)
        devices = ("cpu", "cuda:0") if self._gpu else ("cpu",)
        return dataclasses.replace(status, ready=ready, devices=devices)

    def prepare(self, framework: Framework) -> None:
        """Begin to warm up, in the background. BOTH prepares both."""
        wanted = list(WANTED) if framework is Framework.BOTH else [framework]
        threading.Thread(target=self._prepare, args=(wanted,), name="sandbox prepare", daemon=True).start()

    def _prepare(self, frameworks: list[Framework]) -> None:
        try:
            self._plan()
            for framework in frameworks:
                self._spares[framework].prepare()
            self._workers.prepare()
        except UserError:
            return  # said again, to somebody who can read it, by the run that needs it

    def run(self, submission: Submission) -> RunReport:
        """Run a submission to its verdict. Whatever the candidate does, this returns a report."""
        started = time.monotonic()
        report = RunReport(secrets.token_hex(8), RunStatus.BOX_BROKEN, seed=submission.seed)
        try:
            report = dataclasses.replace(report, isolation=self.status().level)
            if len(submission.code) > MAX_CODE:
                report = dataclasses.replace(
                    report, status=RunStatus.CRASHED, error=f"The code is longer than {MAX_CODE} characters."
                )
            else:
                self._plan()
                with self._slots:
                    report = self._run(submission, report)
        except UserError as error:
            report = dataclasses.replace(report, status=RunStatus.BOX_BROKEN, error=str(error))
        return dataclasses.replace(report, seconds=time.monotonic() - started)

    def _run(self, submission: Submission, report: RunReport) -> RunReport:
        framework = which_framework(submission)
        if not self._spares[framework].ready:
            self.prepare(framework)  # the judges' server starts beside the boxes', not after it
        for _ in range(TRIES):
            box = self._spares[framework].take()
            try:
                worker = self._workers.take()
            except UserError:
                box.close()
                raise
            conversation = _Conversation(self, worker, framework, submission, report)
            if box.server.setup.gpu:
                with self._gpu_slot, gpu.watch(self._meter, box.lifeline, self._limits.gpu_memory):
                    finished = conversation.hold(box)
            else:
                finished = conversation.hold(box)
            if not conversation.again:
                return finished
        return finished

    @property
    def limits(self) -> Limits:
        """What a submission may use."""
        return self._limits

    def full(self, framework: Framework) -> bool:
        """Whether as many boxes wait as shall."""
        return self._spares[framework].full

    def server(self, framework: Framework) -> ForkServer | None:
        """The fork server of a framework, if it has started."""
        return self._spares[framework].server

    @property
    def check_server(self) -> ForkServer | None:
        """The server of the judging processes, if it has started."""
        return self._workers.server

    def take_box(self, framework: Framework, seconds: float = 240.0) -> IdleBox:
        """A warm box, for a run that asks for another. Raises UserError when none is there in time."""
        return self._spares[framework].take(seconds)

    def keep_worker(self, worker: Worker) -> None:
        """Take back a worker that is ready for the next run."""
        self._workers.give_back(worker)

    def close(self) -> None:
        """Stop every process of the sandbox and remove its folder. Runs in progress end as BOX_BROKEN."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        for spares in self._spares.values():
            spares.close()
        self._workers.close()
        if self._found is not None and self._found.plan is not None:
            cgroups.sweep(self._found.plan.cgroups, self.name)
        if self.folder:
            remove_tree(self.folder)


class _Conversation:
    """One run as the service sees it: hands a box to a worker and collects what comes back."""

    def __init__(
        self, sandbox: Sandbox, worker: Worker, framework: Framework, submission: Submission, report: RunReport
    ) -> None:
        self.sandbox, self.worker, self.framework = sandbox, worker, framework
        self.submission, self.report = submission, report
        self.cases: list[Case] = []
        self.again = False
        self.until = time.monotonic() + sandbox.limits.seconds + OVERTIME

    def hold(self, box: IdleBox) -> RunReport:
        """Run to the verdict."""
        try:
            self._start(box)
            while True:
                message = self.worker.receive(self.until - time.monotonic())
                if "case" in message:
                    self.cases.append(_case(message["case"]))
                elif "need" in message:
                    self._another()
                else:
                    break
        except TimeoutError:
            self.worker.close()
            return self._finish(RunStatus.TIMED_OUT, "The code did not finish in time.")
        except (OSError, EOFError, FrameError) as error:
            self.worker.close()
            self.again = True
            return self._finish(RunStatus.BOX_BROKEN, f"The check process ended ({error or 'closed'}).")
        finally:
            box.close()
        done: dict[str, Any] = message["done"]
        status = RunStatus(done["status"])
        if done["vanished"]:
            # A fork server that died takes its boxes along, and a box may die while it waits: ours, so once more.
            # When that does not help, the server lives and the submission was in the box, then it has ended it.
            self.again = True
            if done["loaded"] and box.server.alive:
                status, done["error"] = RunStatus.CRASHED, "The box was ended from inside."
        if status in (RunStatus.OK, RunStatus.WRONG, RunStatus.CRASHED):
            self.sandbox.keep_worker(self.worker)
        else:
            self.worker.close()
        return dataclasses.replace(
            self._finish(status, done["error"], done["line"]),
            stdout_tail=_clean(done["tail"]),
            peak_memory=done["peak"],
            device=done["device"],
            check_hash=done["hash"],
            versions=tuple((name, value) for name, value in done["versions"]),
        )

    def _start(self, box: IdleBox) -> None:
        request = {
            "framework": self.framework.value,
            "check": str(self.submission.check.absolute()) if self.submission.check else "",
            "seed": self.submission.seed,
            "seconds": self.sandbox.limits.seconds,
            "visible_only": self.submission.visible_only,
            "hello": box.hello,
        }
        self.worker.send(box.descriptors(), request, self.submission.code.encode("utf-8", "replace"))

    def _another(self) -> None:
        try:
            other = self.sandbox.take_box(self.framework, self.until - OVERTIME - time.monotonic())
        except UserError as error:
            # A submission can delay asking for a second box until its time is up: its own doing, and no fault here.
            late = time.monotonic() >= self.until - OVERTIME
            self.worker.send([], {"error": str(error), "late": late})
            return
        self.worker.send(other.descriptors(), {"hello": other.hello})
        other.close()

    def _finish(self, status: RunStatus, error: str, line: int | None = None) -> RunReport:
        cases = tuple(self.cases)
        return dataclasses.replace(self.report, status=status, cases=cases, error=_clean(error), error_line=line)


def _case(item: dict[str, Any]) -> Case:
    rows = tuple((_clean(label), _clean(value)) for label, value in item.get("values", ()))
    return Case(item["name"], item["aspect"], item["passed"], _clean(item["why"]), item.get("visible", False), rows)


def _clean(text: str) -> str:
    """Text that can be stored and shown: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def which_framework(submission: Submission) -> Framework:
    """The framework whose box a submission needs; for BOTH, what it imports decides, and PyTorch where both do."""
    if submission.framework is not Framework.BOTH:
        return submission.framework
    # Not by parsing: hostile source can bring a parser down, and this is the service's own process.
    names = set(re.findall(r"^[ \t]*(?:import|from)[ \t]+(tensorflow|keras|torch)\b", submission.code, re.MULTILINE))
    return Framework.TENSORFLOW if names and "torch" not in names else Framework.PYTORCH
