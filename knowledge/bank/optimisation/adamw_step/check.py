"""adamw_step(parameters, gradients, state, …) against AdamW (Loshchilov and Hutter 2019) in numpy, float64.

Parameters and state stay in the box over the steps; what counts is the value of these very tensors. Each case varies
one thing. PyTorch's own Adam and AdamW are switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]

SWITCH_OFF = """
import sys


def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("PyTorch's own Adam is switched off: do the arithmetic yourself")
    for name in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax"):
        module = sys.modules["torch.optim." + name.lower()]
        for holder, known in ((torch.optim, name), (module, name), (module, name.lower())):
            setattr(holder, known, refuse)
"""


class Settings(NamedTuple):
    """The hyperparameters of a step, with the defaults of the question."""

    lr: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 1e-2


class Reference:
    """AdamW on one weight, in float64."""

    def __init__(self, weight: Floats) -> None:
        self.weight = weight.copy()
        self.first, self.second = np.zeros_like(weight), np.zeros_like(weight)
        self.steps = 0

    def step(self, gradient: Floats | None, use: Settings) -> None:
        """One step; none at all without a gradient."""
        if gradient is None:
            return
        self.steps += 1
        beta1, beta2 = use.betas
        self.first = beta1 * self.first + (1 - beta1) * gradient
        self.second = beta2 * self.second + (1 - beta2) * gradient**2
        mean, square = self.first / (1 - beta1**self.steps), self.second / (1 - beta2**self.steps)
        decayed = self.weight * (1 - use.lr * use.weight_decay)
        self.weight = decayed - use.lr * mean / (np.sqrt(square) + use.eps)


class Training:
    """Parameters and a state in the box, the candidate's function, and the reference beside them."""

    def __init__(self, box: Box, step: Handle, weights: Sequence[Floats], dtype: str = "float32") -> None:
        self.box, self.function, self.dtype = box, step, dtype
        self.kept = [box.keep(tensor(weight, dtype, requires_grad=True)) for weight in weights]
        self.state = box.keep({})
        self.references = [Reference(weight) for weight in weights]

    def step(self, gradients: Sequence[Floats | None], use: Settings | None = None) -> list[tuple[Handle, Array]]:
        """One step on both sides; the gradients as they were sent. Without settings the defaults are used."""
        sent = [None if gradient is None else tensor(gradient, self.dtype) for gradient in gradients]
        held = [None if item is None else self.box.keep(item) for item in sent]
        options = {} if use is None else use._asdict()
        self.box.call(self.function, list(self.kept), list(held), self.state, **options)
        for reference, gradient in zip(self.references, gradients, strict=True):
            reference.step(gradient, use or Settings())
        return [(handle, item) for handle, item in zip(held, sent, strict=True) if handle is not None and item]

    def compare(self, rtol: float | None = None) -> None:
        """The parameters themselves must have the reference's values."""
        for index, (handle, reference) in enumerate(zip(self.kept, self.references, strict=True)):
            now, what = array(self.box.value(handle)), f"parameter {index}"
            expect_close(now, reference.weight, dtype=self.dtype, rtol=rtol, what=what)
            expect(now.requires_grad, f"{what} no longer requires grad")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    function = box.get(box.load(), "adamw_step")

    def draw(*shape: int) -> Floats:
        """Numbers of magnitude 0.5 to 2 and either sign, exact in float32."""
        values = rng.uniform(0.5, 2, shape) * rng.choice([-1.0, 1.0], shape)
        return np.asarray(np.asarray(values, dtype=np.float32), dtype=np.float64)

    def settings(decay: float = 0.0) -> Settings:
        return Settings(rng.uniform(0.02, 0.1), (rng.uniform(0.6, 0.9), rng.uniform(0.9, 0.99)), 1e-8, decay)

    def train(steps: int, use: Settings | None, *shapes: tuple[int, ...], dtype: str = "float32") -> Training:
        training = Training(box, function, [draw(*shape) for shape in shapes], dtype)
        for _ in range(steps):
            scale = rng.uniform(0.2, 5)  # gradients of another size in each step, or the averages hardly matter
            training.step([scale * draw(*shape) for shape in shapes], use)
            training.compare(1e-10 if dtype == "float64" else None)
        return training

    def documented() -> None:
        training = Training(box, function, [np.array([1.0, -2.0])])
        note("parameter", [1.0, -2.0])
        note("gradient", [0.5, 0.1])
        training.step([np.array([0.5, 0.1])], Settings(lr=0.1, weight_decay=0.1))
        training.compare()

    def first_step() -> None:
        train(1, settings(), (4,))

    def several_steps() -> None:
        train(6, settings(), (5,))

    def defaults() -> None:
        training = Training(box, function, [0.01 * draw(4)])
        for _ in range(3):
            training.step([draw(4)])
        training.compare()
        training = Training(box, function, [0.01 * draw(4)])
        training.step([1e-8 * draw(4)])  # of the size of epsilon, which halves the step
        training.compare()
        training = Training(box, function, [100 * draw(4)])
        for _ in range(10):  # a step of decay is 1e-5 of the weight
            training.step([np.zeros(4)])
        training.compare(2e-5)

    def learning_rate() -> None:
        training = Training(box, function, [draw(4)])
        for _ in range(4):
            training.step([draw(4)], settings()._replace(betas=(0.8, 0.95), lr=rng.uniform(0.01, 0.2)))
            training.compare()

    def epsilon() -> None:
        training = Training(box, function, [draw(4)])
        for _ in range(3):
            training.step([draw(4)], settings()._replace(betas=(0.8, 0.95), eps=rng.uniform(0.3, 0.9)))
            training.compare()

    def decay() -> None:
        use = settings(rng.uniform(0.5, 2.0))
        train(4, use, (4,))

    def decay_alone() -> None:
        training, use = Training(box, function, [draw(4)]), settings(rng.uniform(0.5, 2.0))
        for _ in range(3):
            training.step([np.zeros(4)], use)
            training.compare()

    def several_parameters() -> None:
        train(4, settings(0.1), (3,), (2, 3), (1,))

    def shapes() -> None:
        train(2, settings(0.1), (), (1,), (0,), (2, 1, 3))

    def float64() -> None:
        training = Training(box, function, [rng.uniform(1, 2, (2, 3))], "float64")
        use = settings(0.3)
        for _ in range(4):
            training.step([rng.normal(size=(2, 3))], use)
            training.compare(1e-10)

    def missing_gradient() -> None:
        training, use = Training(box, function, [draw(3), draw(2)]), settings(0.5)
        for present in ((True, False), (True, True), (False, True), (True, True)):
            training.step([draw(size) if here else None for size, here in zip((3, 2), present, strict=True)], use)
            training.compare()

    def gradients_untouched() -> None:
        training, use = Training(box, function, [draw(3), draw(2, 2)]), settings(0.1)
        held: list[tuple[Handle, Array]] = []
        for _ in range(3):
            held += training.step([draw(3), draw(2, 2)], use)
        training.compare()
        for handle, before in held:
            expect_unchanged(box, handle, before, "a gradient")

    def separate_states() -> None:
        use = settings(0.1)
        one, other = (Training(box, function, [draw(3)]) for _ in range(2))
        for training in (one, other, one, one, other):
            training.step([draw(3)], use)
            training.compare()

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("first-step", "the first step, without weight decay", first_step)
    yield case("several-steps", "six steps, without weight decay", several_steps)
    yield case("defaults", "the default hyperparameters", defaults)
    yield case("learning-rate", "a learning rate that changes from step to step", learning_rate)
    yield case("epsilon", "the place of epsilon", epsilon)
    yield case("weight-decay", "weight decay over several steps", decay)
    yield case("decay-alone", "weight decay where the gradient is zero", decay_alone)
    yield case("several-parameters", "several parameters at once", several_parameters)
    yield case("shapes", "parameters without dimensions, with one element, and empty", shapes)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("missing-gradient", "a parameter that has no gradient in some steps", missing_gradient)
    yield case("gradients-untouched", "that the gradients are left alone", gradients_untouched)
    yield case("separate-states", "two trainings with a state each", separate_states)
