"""Checks train_step(model, loss_fn, batches, optimizer, max_norm) against SGD with momentum and decay, in numpy.

The model is linear with a squared error, so that the gradient over all samples is known. PyTorch's own clipping is
switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, kind, note, tensor

Floats = npt.NDArray[np.float64]
Batch = tuple[Floats, Floats]
NAMES = ("weight", "bias")

HELP = """
import torch.nn.utils.clip_grad

def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("PyTorch's own clipping and total norm are switched off: do the arithmetic yourself")
    for name in ("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_", "get_total_norm", "clip_grads_with_norm_"):
        for holder in (torch.nn.utils, torch.nn.utils.clip_grad):
            setattr(holder, name, refuse)


class Model(torch.nn.Module):
    def __init__(self, weight, bias, spare, frozen):
        super().__init__()
        self.spare = torch.nn.Parameter(spare)  # no loss ever depends on it
        self.weight = torch.nn.Parameter(weight)
        self.frozen = torch.nn.Parameter(frozen, requires_grad=False)
        self.bias = torch.nn.Parameter(bias)

    def forward(self, x):
        return x @ self.weight + self.bias + self.frozen

    def leave(self, value):
        for item in (self.weight, self.bias, self.spare):
            item.grad = torch.full_like(item, value)

    def left(self):
        return sum(item.grad is not None for item in self.parameters())


def make(weight, bias, spare, frozen):
    return Model(weight, bias, spare, frozen)


def sgd(model, rate, momentum, decay):
    return torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum, weight_decay=decay)


def squared_error(output, target):
    return ((output - target.detach()) ** 2).sum(1).mean()


def nothing(output, target):
    return (0.0 * output).sum() + (0.0 * target).sum()


def once(batches):  # a stream that fills the same two buffers again and again, as fast loaders do
    size = max(len(x) for x, _ in batches)
    x_buffer, y_buffer = (part.new_zeros(size, part.shape[1]) for part in batches[0])
    for x, y in batches:
        x_buffer[: len(x)].copy_(x)
        y_buffer[: len(y)].copy_(y)
        yield x_buffer[: len(x)], y_buffer[: len(y)]
"""


class Run:
    """Model and optimizer in the box, and the same as numpy values here."""

    def __init__(
        self, box: Box, rng: np.random.Generator, momentum: float = 0.0, decay: float = 0.0, dtype: str = "float32"
    ) -> None:
        self.box, self.rng, self.dtype, self.momentum, self.decay = box, rng, dtype, momentum, decay
        self.rate = float(rng.uniform(0.05, 0.3))
        self.values = [self.drawn(3, 2), self.drawn(2)]
        self.spare, self.frozen = self.drawn(2), self.drawn(2)
        self.speed: list[Floats] = [np.zeros((3, 2)), np.zeros(2)]
        sent = [tensor(item, dtype) for item in (*self.values, self.spare, self.frozen)]
        self.model = box.make(box.define(HELP, "make"), *sent)
        self.optimizer = box.make(box.define(HELP, "sgd"), self.model, self.rate, momentum, decay)

    def drawn(self, *shape: int) -> Floats:
        """Numbers exact in float32."""
        return self.rng.uniform(-1.5, 1.5, shape).astype(np.float32).astype(np.float64)

    def batches(self, *sizes: int) -> list[Batch]:
        """Micro-batches of these sizes."""
        return [(self.drawn(size, 3), self.drawn(size, 2)) for size in sizes]

    def sent(self, batches: Sequence[Batch]) -> list[Value]:
        """The batches on their way into the box."""
        return [(tensor(x, self.dtype), tensor(y, self.dtype)) for x, y in batches]

    def solved(self, batches: Sequence[Batch]) -> tuple[float, list[Floats], float]:
        """Mean loss over all samples, its gradient, and the norm of it."""
        x, y = (np.concatenate(parts) for parts in zip(*batches, strict=True))
        error = x @ self.values[0] + self.values[1] + self.frozen - y
        found = [np.asarray(2 * x.T @ error / len(x)), np.asarray(2 * error.sum(0) / len(x))]
        return float((error**2).sum(1).mean()), found, float(np.sqrt(sum((g**2).sum() for g in found)))

    def update(self, gradient: Sequence[Floats], factor: float) -> None:
        """SGD as PyTorch does it: decay joins the clipped gradient, then momentum."""
        for index, (value, slope) in enumerate(zip(self.values, gradient, strict=True)):
            self.speed[index] = self.momentum * self.speed[index] + factor * slope + self.decay * value
            self.values[index] = value - self.rate * self.speed[index]

    def compare(self) -> None:
        """Compare the parameters in the box with the values here."""
        rtol = 1e-9 if self.dtype == "float64" else 1e-4
        wanted = (*zip(NAMES, self.values, strict=True), ("spare", self.spare), ("frozen", self.frozen))
        for name, value in wanted:
            got = array(self.box.value(self.box.get(self.model, name)))
            what = {"spare": "an unused parameter", "frozen": "a frozen parameter"}.get(name, f"the {name}")
            expect_close(got, value, dtype=self.dtype, rtol=rtol, atol=rtol / 10, what=what)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(HELP, "switch_off"))
    train_step = box.get(box.load(), "train_step")
    squared_error, nothing, once = (box.define(HELP, name) for name in ("squared_error", "nothing", "once"))

    def called(run: Run, batches: Value, max_norm: float, loss: Handle = squared_error) -> tuple[float, float]:
        """The returned loss and norm."""
        found = box.call(train_step, run.model, loss, batches, run.optimizer, max_norm)
        expect(isinstance(found, tuple | list) and len(found) == 2, f"should return two floats, not {kind(found)}")
        assert isinstance(found, tuple | list)
        for item, what in zip(found, ("loss", "norm"), strict=True):
            expect(isinstance(item, float), f"the {what} should be a Python float, and is {kind(item)}")
        return found[0], found[1]  # type: ignore[return-value]

    def step(run: Run, batches: Sequence[Batch], share: float, stream: bool = False) -> None:
        """One step with max_norm at `share` of the norm; then everything is compared."""
        loss, gradient, norm = run.solved(batches)
        sent: Value = box.make(once, run.sent(batches)) if stream else run.sent(batches)
        got = called(run, sent, share * norm)
        rtol = 1e-9 if run.dtype == "float64" else 1e-4
        expect_close(got[0], loss, rtol=rtol, what="the returned loss")
        expect_close(got[1], norm, rtol=rtol, what="the returned norm")
        run.update(gradient, min(1.0, share))
        run.compare()

    def documented() -> None:
        note("model, loss", "y = w x with w = 0, squared error")
        note("batches", "[([[3]], [[4]])], lr 0.5, max_norm 6")
        source = "def one():\n    return torch.nn.Linear(1, 1, bias=False)"
        model = box.make(box.define(source, "one"))
        box.call(box.define("def clear(m):\n    torch.nn.init.zeros_(m.weight)", "clear"), model)
        optimizer = box.make(box.define(HELP, "sgd"), model, 0.5, 0.0, 0.0)
        batches: list[Value] = [(tensor([[3.0]]), tensor([[4.0]]))]
        found = box.call(train_step, model, squared_error, batches, optimizer, 6.0)
        expect(isinstance(found, tuple | list) and len(found) == 2, f"should return two floats, not {kind(found)}")
        expect_close(found, [16.0, 24.0], what="the loss and the norm")
        expect_close(box.value(box.get(model, "weight")), np.array([[3.0]]), dtype="float32", what="w after the step")

    def below() -> None:
        run = Run(box, rng)
        step(run, run.batches(5), float(rng.uniform(1.2, 3.0)))

    def above() -> None:
        for share in (float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.6, 0.9))):
            run = Run(box, rng)
            step(run, run.batches(6), share)

    def accumulated(*sizes: int) -> None:
        for share in (2.0, 0.5):
            run = Run(box, rng)
            step(run, run.batches(*sizes), share)

    def several_steps() -> None:
        run = Run(box, rng, momentum=float(rng.uniform(0.5, 0.9)), decay=0.1)
        for share in (0.4, 1.5, 0.7):
            step(run, run.batches(3, 2), share)

    def stream() -> None:
        run = Run(box, rng)
        for share in (1.5, 0.5):
            step(run, run.batches(4, 2, 3), share, stream=True)

    def leftover() -> None:
        run = Run(box, rng, decay=0.2)
        box.method(run.model, "leave", float(rng.uniform(1.0, 3.0)))
        step(run, run.batches(4), 0.8)
        expect(box.method(run.model, "left") == 0, "gradients are left behind")

    def unused() -> None:
        run = Run(box, rng, momentum=0.5, decay=float(rng.uniform(0.2, 0.5)))
        for share in (0.5, 1.5):
            step(run, run.batches(3), share)

    def zero_gradient() -> None:
        run = Run(box, rng)
        loss, norm = called(run, run.sent(run.batches(3, 1)), 1.0, nothing)
        expect(loss == 0.0 and norm == 0.0, "without any slope the loss and the norm should be 0")
        run.compare()

    def not_finite() -> None:
        for bad in (np.nan, np.inf):
            run = Run(box, rng, momentum=0.8, decay=0.1)
            step(run, run.batches(3), 0.6)
            batches = run.batches(3, 2)
            batches[1][1][0, 0] = bad
            loss, norm = called(run, run.sent(batches), 1.0)
            expect(not np.isfinite(loss) and not np.isfinite(norm), "loss and norm should show that something is wrong")
            run.compare()
            expect(box.method(run.model, "left") == 0, "gradients that are not finite are left behind")
            step(run, run.batches(2, 3), 0.7)

    def float64() -> None:
        run = Run(box, rng, momentum=0.5, dtype="float64")
        for share in (0.5, 1.5):
            step(run, run.batches(3, 2), share)

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("below-the-limit", "a gradient that is not clipped", below)
    yield case("above-the-limit", "a gradient that is clipped", above)
    yield case("accumulated", "several micro-batches of one size", lambda: accumulated(4, 4, 4))
    yield case("uneven", "micro-batches of different sizes", lambda: accumulated(5, 1, 3))
    yield case("several-steps", "several steps in a row, with momentum and weight decay", several_steps)
    yield case("stream", "micro-batches from a generator that reuses its memory", stream)
    yield case("leftover-gradient", "gradients that were there before, and none that are left", leftover)
    yield case("unused", "a parameter that the loss does not use, under weight decay", unused)
    yield case("zero-gradient", "a gradient of zero", zero_gradient)
    yield case("not-finite", "a gradient that is not finite, and the steps before and after it", not_finite)
    yield case("float64", "dtype and precision in float64", float64)
