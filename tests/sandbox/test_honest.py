"""Honest code that no filter may break, in real framework boxes, and the whole of `domain.Box` in both frameworks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain import Framework, RunReport, RunStatus, Submission
from sandbox.backend import Sandbox
from tests.sandbox.plain import CHECKS

TORCH = {
    "training": """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
x, y = torch.randn(64, 4), torch.randn(64, 1)
for _ in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
print("done", loss.item() < 5)
""",
    "loader": """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(20).float())
print("done", sum(batch[0].sum().item() for batch in DataLoader(data, batch_size=4, shuffle=True)) == 190)
""",
    "custom function": """
import torch
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return g * (s + x * s * (1 - s))
x = torch.randn(5, dtype=torch.float64, requires_grad=True)
print("done", torch.autograd.gradcheck(Swish.apply, (x,)), torch.autograd.gradgradcheck(Swish.apply, (x,)))
""",
    "functional transforms": """
import torch
from torch.func import vmap, grad, jacrev
print("done", vmap(grad(lambda x: x ** 3))(torch.ones(2)).tolist(), jacrev(torch.sin)(torch.zeros(2)).tolist())
""",
    "attention": """
import torch
layer = torch.nn.TransformerEncoderLayer(16, 4, batch_first=True)
print("done", layer(torch.randn(2, 5, 16)).shape)
""",
    "mixed precision": """
import torch
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = torch.nn.Linear(4, 4)(torch.randn(2, 4))
print("done", out.dtype == torch.bfloat16)
""",
    "hooks and threads": """
import threading, torch
seen = []
layer = torch.nn.Linear(2, 2)
layer.register_forward_hook(lambda *a: seen.append(1))
thread = threading.Thread(target=lambda: layer(torch.ones(1, 2)))
thread.start(); thread.join()
print("done", seen)
""",
}
TORCH_FILES = {
    "saving": """
import torch
torch.save({"w": torch.ones(3)}, "model.pt")
print("done", torch.load("model.pt", weights_only=True)["w"].sum().item())
""",
    "compiling": """
import torch
for backend in ("eager", "aot_eager"):
    f = torch.compile(lambda x: torch.sin(x) + 1, backend=backend)
    print(backend, torch.allclose(f(torch.zeros(2)), torch.ones(2)))
print("done")
""",
    "temporary files and the standard library": """
import csv, json, logging, pathlib, pickle, sqlite3, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "a.csv"
    path.write_text("a,b\\n1,2\\n")
    print(list(csv.DictReader(path.open())))
logging.warning("hello")
print("done", pickle.loads(pickle.dumps({1: 2})))
""",
}
TORCH_FORKS = {
    "loader with workers": """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(20).float())
loader = DataLoader(data, batch_size=4, num_workers=2)
print("done", sum(batch[0].sum().item() for batch in loader) == 190)
""",
    "a pool of processes": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    print("done", pool.map(abs, [-1, -2]))
""",
}
TENSORFLOW = {
    "tape": """
import tensorflow as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
print("done", tape.gradient(y, x).numpy())
""",
}
# AutoGraph writes what it has translated into a file, and the runtime reads its randomness from one.
TENSORFLOW_FILES = {
    "graph function": """
import tensorflow as tf
@tf.function
def f(x):
    if tf.reduce_sum(x) > 0:
        return x + 1
    return x - 1
print("done", f(tf.ones(2)).numpy())
""",
    "keras fit": """
import keras, numpy as np
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
history = model.fit(np.ones((32, 4)), np.ones((32, 1)), epochs=2, batch_size=8, verbose=0)
print("done", len(history.history["loss"]))
""",
    "data": """
import tensorflow as tf
data = tf.data.Dataset.range(10).map(lambda x: x * 2).shuffle(10).batch(3).prefetch(1)
print("done", sorted(int(v) for batch in data for v in batch))
""",
    "saving": """
import keras, numpy as np
model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
model.save("m.keras")
again = keras.models.load_model("m.keras")
print("done", np.allclose(model.predict(np.ones((1, 2)), verbose=0), again.predict(np.ones((1, 2)), verbose=0)))
""",
}


@pytest.fixture(scope="module", params=["L3", "L1", "L0"])
def torch_at(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """PyTorch with forks and files, with files, with neither."""
    yield from _sandbox(request.param)


@pytest.fixture(scope="module", params=["L3", "L0"])
def tensorflow_at(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """TensorFlow where most and where least is allowed."""
    yield from _sandbox(request.param)


def _sandbox(level: str) -> Iterator[Sandbox]:
    sandbox = Sandbox(only=level)
    try:
        if sandbox.status().level != level:
            pytest.skip(f"{level} cannot be built here")
        yield sandbox
    finally:
        sandbox.close()


def runs(sandbox: Sandbox, code: str, framework: Framework) -> RunReport:
    """The report of a script that must end well, having said so."""
    report = sandbox.run(Submission(code, framework))
    assert report.status is RunStatus.OK, report
    assert "done" in report.stdout_tail
    return report


def test_pytorch_code_runs(torch_at: Sandbox) -> None:
    level = torch_at.status().level
    codes = TORCH | (TORCH_FILES if level != "L0" else {}) | (TORCH_FORKS if level in ("L2", "L3") else {})
    for code in codes.values():
        runs(torch_at, code, Framework.PYTORCH)


def test_tensorflow_code_runs(tensorflow_at: Sandbox) -> None:
    files = TENSORFLOW_FILES if tensorflow_at.status().level != "L0" else {}
    for code in (TENSORFLOW | files).values():
        runs(tensorflow_at, code, Framework.TENSORFLOW)


def test_the_whole_of_a_box_in_pytorch(torch_at: Sandbox) -> None:
    _whole_box(torch_at, Framework.PYTORCH, "box_torch")


def test_the_whole_of_a_box_in_tensorflow(tensorflow_at: Sandbox) -> None:
    _whole_box(tensorflow_at, Framework.TENSORFLOW, "box_tensorflow")


def _whole_box(sandbox: Sandbox, framework: Framework, name: str) -> None:
    """The check there uses every method of `domain.Box`; its cases say which one failed."""
    check = CHECKS / f"{name}.py"
    code = check.with_suffix(".submission").read_text()
    report = sandbox.run(Submission(code, framework, check, 3))
    failed = [case for case in report.cases if not case.passed]
    if sandbox.status().level == "L0":
        failed = [case for case in failed if case.name not in ("files", "models")]
    assert not failed, failed
    assert len(report.cases) >= 8, report
    assert report.status in (RunStatus.OK, RunStatus.WRONG), report


def test_what_imports_tensorflow_gets_its_box(torch_at: Sandbox) -> None:
    from sandbox.backend import which_framework

    both = Framework.BOTH
    assert which_framework(Submission("import tensorflow as tf", both)) is Framework.TENSORFLOW
    assert which_framework(Submission("x = 1\n  from keras import layers", both)) is Framework.TENSORFLOW
    assert which_framework(Submission("import torch\nimport tensorflow", both)) is Framework.PYTORCH
    assert which_framework(Submission("(" * 100000, both)) is Framework.PYTORCH
    assert Path(CHECKS).is_dir()
