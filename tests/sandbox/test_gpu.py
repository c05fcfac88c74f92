"""The GPU: what can be tested without one, and, marked `gpu`, what needs one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain import Framework, RunReport, RunStatus, Submission
from sandbox import gpu
from sandbox.backend import Sandbox
from sandbox.plan import Limits
from sandbox.seccomp import Policy, allowed
from tests.sandbox.conftest import plain_sandbox
from tests.sandbox.plain import RIGHT

CHECK = """
import numpy as np
from sandbox.toolkit import case, expect, expect_close, tensor

def check(box, rng):
    function = box.get(box.load(), "square")
    x, v = rng.normal(size=(64, 64)), rng.normal(size=(64, 64))
    yield case("device", "where it runs", lambda: expect(box.call(function, tensor(x)).device == box.device, "device"))
    yield case("value", "the value", lambda: expect_close(box.call(function, tensor(x)), x * x, dtype="float32"))
    gradient = lambda: expect_close(box.vjp(function, [tensor(x)], [tensor(v)]).gradients[0], 2 * x * v)
    yield case("gradient", "the gradient", gradient)
"""
SQUARE = "def square(x):\n    return x * x\n"


class Growing:
    """A meter whose reading grows at each look."""

    def __init__(self) -> None:
        self.value = 0

    def used(self) -> int:
        """One more unit."""
        self.value += 100
        return self.value


def test_device_files_are_those_that_exist(tmp_path: Path) -> None:
    assert gpu.device_files(tmp_path) == ()
    (tmp_path / "nvidiactl").touch()
    assert gpu.device_files(tmp_path) == ()
    (tmp_path / "nvidia0").touch()
    assert gpu.device_files(tmp_path) == ("nvidia0", "nvidiactl")


def test_memory_over_the_limit_is_told_to_the_supervisor() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.settimeout(10)
    with ours, theirs:
        with gpu.watch(Growing(), ours, 150):
            assert theirs.recv(64) == b"memory"
        with gpu.watch(Growing(), ours, 1 << 40), gpu.watch(None, ours, 0):
            pass
        theirs.setblocking(False)
        with pytest.raises(BlockingIOError):
            theirs.recv(64)
    assert not [thread for thread in threading.enumerate() if thread.name == "sandbox GPU memory"]


def test_a_supervisor_told_so_ends_the_box_for_want_of_memory() -> None:
    sandbox = plain_sandbox("L1")
    box = sandbox.take_box(Framework.PYTORCH)
    box.lifeline.send(b"memory")
    box.lifeline.settimeout(10)
    assert b'"cause": "memory"' in box.lifeline.recv(4096)
    box.close()
    assert sandbox.check(RIGHT).passed


def test_a_gpu_box_may_make_memory_files_and_another_may_not() -> None:
    assert "memfd_create" in allowed(Policy(accelerator=True))
    assert "memfd_create" not in allowed(Policy(processes=True, sockets=True, attributes=True))


def test_without_a_gpu_the_verdict_names_the_cpu() -> None:
    if gpu.device_files():
        pytest.skip("this machine has a GPU")
    assert plain_sandbox("L1").check(RIGHT).device == "cpu"
    with pytest.raises(OSError):
        gpu.Nvml()


@pytest.fixture(scope="module")
def on_gpu() -> Iterator[Sandbox]:
    """A sandbox whose PyTorch boxes use the GPU."""
    if not gpu.device_files():
        pytest.skip("no NVIDIA GPU here")
    sandbox = Sandbox(limits=Limits(gpu_memory=4 << 30))
    yield sandbox
    sandbox.close()


def script(sandbox: Sandbox, code: str) -> RunReport:
    """Run code as it is."""
    return sandbox.run(Submission(f"import torch\n{code}", Framework.PYTORCH))


def right(sandbox: Sandbox, folder: Path) -> RunReport:
    """Run a right submission against the check."""
    check = folder / "check.py"
    check.write_text(CHECK)
    return sandbox.run(Submission(SQUARE, Framework.PYTORCH, check, 1))


@pytest.mark.gpu
def test_a_check_runs_on_the_device(on_gpu: Sandbox, tmp_path: Path) -> None:
    report = right(on_gpu, tmp_path)
    print(report.isolation, on_gpu.status().sentence)
    assert report.passed, report
    assert report.device == "cuda:0"
    assert "cuda:0" in on_gpu.status().devices


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("code", "statuses"),
    [
        ("x = [torch.ones(1 << 28, device='cuda') for _ in range(1000)]", {RunStatus.OUT_OF_MEMORY}),
        (
            "x = torch.ones(4096, 4096, device='cuda')\nwhile True: x @ x",
            {RunStatus.TIMED_OUT},
        ),
        ("torch.cuda._sleep(1 << 50); torch.cuda.synchronize()", {RunStatus.TIMED_OUT}),
        (
            "x = torch.zeros(4).cuda()\nx[torch.tensor([1 << 30]).cuda()] = 1\ntorch.cuda.synchronize()",
            {RunStatus.CRASHED},
        ),
        (
            "import os\nwith torch.cuda.stream(torch.cuda.Stream()): torch.cuda._sleep(1 << 40)\nos._exit(0)",
            {RunStatus.CRASHED},
        ),
    ],
    ids=["VRAM bomb", "endless work", "endless kernel", "illegal access", "side stream at exit"],
)
def test_a_gpu_bomb_ends_and_the_next_verdict_is_right(
    on_gpu: Sandbox, tmp_path: Path, code: str, statuses: set[RunStatus]
) -> None:
    assert script(on_gpu, code).status in statuses
    assert right(on_gpu, tmp_path).passed


@pytest.mark.gpu
def test_nothing_of_a_run_is_in_the_memory_of_the_next(on_gpu: Sandbox) -> None:
    assert script(on_gpu, "x = torch.full((1 << 24,), 1234.5, device='cuda'); torch.cuda.synchronize()").status == "ok"
    found = script(on_gpu, "print((torch.empty(1 << 26, device='cuda') == 1234.5).sum().item())")
    assert found.stdout_tail.strip() == "0"
