"""PyTorch submissions that try to pass without being right, against a check by value."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain import Framework, RunReport, RunStatus, Submission
from sandbox.backend import Sandbox

CHECK = """
import numpy as np
from sandbox.toolkit import case, expect_close, expect_unchanged, tensor

def check(box, rng):
    function = box.get(box.load(), "square")
    add_one = box.define("def add_one(x):\\n    x.add_(1)", "add_one")
    example = lambda: expect_close(box.call(function, tensor([1.0, 2.0])), [1.0, 4.0], dtype="float32")
    yield case("example", "the example", example, visible=True)
    for number in range(3):
        x, v = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
        def hidden():
            kept = box.keep(tensor(x))
            expect_close(box.call(function, kept), x * x, dtype="float32")
            expect_unchanged(box, kept, tensor(x))
            box.make(add_one, kept)
            expect_close(box.call(function, kept), (x + 1) ** 2, dtype="float32")
        yield case(f"hidden-{number}", "another input", hidden)
        gradient = lambda: expect_close(box.vjp(function, [tensor(x)], [tensor(v)]).gradients[0], 2 * x * v)
        yield case(f"gradient-{number}", "the gradient", gradient)
"""
CHEATS = {
    "hard-coded example": "def square(x):\n    return torch.tensor([1.0, 4.0])",
    "identity": "def square(x):\n    return x",
    "zeros": "def square(x):\n    return torch.zeros_like(x)",
    "NaN": "def square(x):\n    return x * float('nan')",
    "another dtype": "def square(x):\n    return (x * x).double()",
    "half precision": "def square(x):\n    return (x.half() ** 2).float()",
    "broadcastable shape": "def square(x):\n    return (x * x)[..., :1]",
    "extra dimension": "def square(x):\n    return (x * x)[None]",
    "a numpy array": "def square(x):\n    return (x * x).detach().numpy()",
    "a list": "def square(x):\n    return (x * x).tolist()",
    "detached": "def square(x):\n    return x.detach() ** 2",
    "changes its input": "def square(x):\n    y = x.detach() ** 2\n    x.detach().zero_()\n    return y",
    "monkeypatched allclose": (
        "import numpy as np\ntorch.allclose = np.allclose = lambda *a, **k: True\n"
        "torch.Tensor.__eq__ = lambda *a: True\ndef square(x):\n    return x"
    ),
    "lying subclass": (
        "class Lie(torch.Tensor):\n    def __eq__(self, other): return True\n"
        "    @classmethod\n    def __torch_function__(cls, f, t, a=(), k=None):\n"
        "        with torch._C.DisableTorchFunctionSubclass(): return f(*a, **(k or {}))\n"
        "def square(x):\n    return x.as_subclass(Lie)"
    ),
    "lying numbers": (
        "class Lie(torch.Tensor):\n    def numpy(self): return 'x'\n    def detach(self): return self\n"
        "    shape = property(lambda self: (99,))\ndef square(x):\n    return x.as_subclass(Lie)"
    ),
    "cached by pointer": (
        "cache = {}\ndef square(x):\n    key = (x.data_ptr(), tuple(x.shape))\n"
        "    if key not in cache: cache[key] = x * x\n    return cache[key]"
    ),
    "cached by shape": (
        "cache = {}\ndef square(x):\n    if x.shape not in cache: cache[x.shape] = x * x\n    return cache[x.shape]"
    ),
    "exit": "import sys\ndef square(x):\n    sys.exit(0)",
    "exit when loaded": "import sys\nsys.exit(0)",
    "hard exit": "import os\ndef square(x):\n    os._exit(0)",
    "exit handler": "import atexit, os\natexit.register(os._exit, 0)\ndef square(x):\n    raise SystemExit",
    "sparse": "def square(x):\n    return (x * x).to_sparse()",
    "on no device": "def square(x):\n    return x.to('meta')",
    "memory": "def square(x):\n    return torch.ones(1 << 40)",
    "endless": "def square(x):\n    while True: x = x + 0",
    "nothing": "",
    "class in its place": "class square:\n    def __init__(self, x): pass",
}


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The check, in a file."""
    path = tmp_path_factory.mktemp("check") / "check.py"
    path.write_text(CHECK)
    return path


def run(sandbox: Sandbox, code: str, check: Path) -> RunReport:
    """The report on a submission."""
    return sandbox.run(Submission(f"import torch\n{code}\n", Framework.PYTORCH, check, 4))


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_does_not_pass(name: str, torch_sandbox: Sandbox, check: Path) -> None:
    report = run(torch_sandbox, CHEATS[name], check)
    assert not report.passed, report
    assert report.status in (RunStatus.WRONG, RunStatus.CRASHED, RunStatus.TIMED_OUT, RunStatus.OUT_OF_MEMORY)
    hidden = [case for case in report.cases if not case.visible]
    assert not any(case.values for case in hidden)


def test_a_right_answer_passes(torch_sandbox: Sandbox, check: Path) -> None:
    for code in ("def square(x):\n    return x ** 2", "square = lambda x: x * x", "square = torch.square"):
        report = run(torch_sandbox, code, check)
        assert report.passed, report
        assert len(report.cases) == 7


def test_want_of_memory_is_told_apart(torch_sandbox: Sandbox) -> None:
    report = torch_sandbox.run(Submission("import torch\nx = torch.ones(1 << 34)", Framework.PYTORCH))
    assert report.status is RunStatus.OUT_OF_MEMORY
    assert report.error_line == 2
