"""Stack(width, depth): its parameters, its buffer, what is saved, and that the numbers are those of the code.

The parameters are written and read by their names in the state dict, so that only what the module knows of counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]

HELPERS = """
def parameters(model): return {name: tuple(p.shape) for name, p in model.named_parameters() if p.requires_grad}
def buffers(model): return {name: tuple(b.shape) for name, b in model.named_buffers()}
def state(model): return {name: value.detach().clone() for name, value in model.state_dict().items()}
def load(model, values): model.load_state_dict(values)
def dtypes(model): return sorted({str(value.dtype) for value in model.state_dict().values()})
def train_step(model, x, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def run(values: dict[str, Floats], x: Floats, depth: int, mean: Floats) -> Floats:
    """The right output."""
    x = x - mean
    for index in range(depth):
        x = x @ values[f"layers.{index}.weight"].T + values[f"layers.{index}.bias"]
        x = x if index + 1 == depth else np.maximum(x, 0)
    return np.asarray(x * values["scale"])


def names(depth: int) -> set[str]:
    """The names of all parameters."""
    return {"scale"} | {f"layers.{index}.{kind}" for index in range(depth) for kind in ("weight", "bias")}


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    stack = box.get(box.load(), "Stack")

    def ask(name: str, model: Handle) -> object:
        return box.call(box.define(HELPERS, name), model)

    def draw(width: int, depth: int) -> tuple[Handle, dict[str, Floats]]:
        """A model in the box into which drawn values were loaded, and these values."""
        model = box.make(stack, width, depth)
        values = {name: rng.normal(size=(width, width) if "weight" in name else width) for name in names(depth)}
        values["mean"] = rng.normal(size=width)
        values = {name: np.asarray(value, dtype=np.float32).astype(np.float64) for name, value in values.items()}
        box.call(box.define(HELPERS, "load"), model, {name: tensor(value) for name, value in values.items()})
        return model, values

    def stored(model: Handle) -> dict[str, Array]:
        found = ask("state", model)
        expect(isinstance(found, dict), "there is no state dict")
        assert isinstance(found, dict)
        return {str(name): array(value) for name, value in found.items()}

    def documented() -> None:
        found = ask("parameters", box.make(stack, 4, 3))
        note("parameters of Stack(4, 3)", sorted(found) if isinstance(found, dict) else found)
        expect(isinstance(found, dict) and set(found) == names(3), "the parameters are not those of the question")

    def parameters() -> None:
        width, depth = int(rng.integers(2, 6)), int(rng.integers(1, 5))
        found = ask("parameters", box.make(stack, width, depth))
        expect(isinstance(found, dict) and set(found) == names(depth), "the parameters are not those of the question")
        assert isinstance(found, dict)
        for name, shape in found.items():
            expect(shape == ((width, width) if "weight" in str(name) else (width,)), f"{name} has another shape")

    def buffer() -> None:
        width = int(rng.integers(2, 6))
        found = ask("buffers", box.make(stack, width, 2))
        expect(found == {"mean": (width,)}, "the running mean should be the only buffer")

    def state() -> None:
        depth = int(rng.integers(1, 5))
        expect(set(stored(box.make(stack, 3, depth))) == names(depth) | {"mean"}, "the state dict has other entries")

    def starts() -> None:
        now = stored(box.make(stack, 3, 2))
        expect_close(now["scale"], np.ones(3), dtype="float32", what="the scale at the start")
        expect_close(now["mean"], np.zeros(3), dtype="float32", what="the mean at the start")
        same = np.array_equal(now["layers.0.weight"].data, now["layers.1.weight"].data)
        expect(not same, "two layers have the same weights")

    def evaluation() -> None:
        for depth in (1, int(rng.integers(2, 5))):
            model, values = draw(3, depth)
            box.method(model, "eval")
            for rows in (5, 1, 0):
                x = rng.normal(size=(rows, 3)).astype(np.float32).astype(np.float64)
                wanted = run(values, x, depth, values["mean"])
                expect_close(box.call(model, tensor(x)), wanted, dtype="float32", what="the output")
            expect_close(stored(model)["mean"], values["mean"], dtype="float32", what="the mean after evaluation")

    def training() -> None:
        model, values = draw(3, 2)
        mean = values["mean"]
        for _ in range(3):
            x = rng.normal(size=(6, 3)).astype(np.float32).astype(np.float64) + 2
            mean = 0.9 * mean + 0.1 * x.mean(axis=0)
            got = box.call(model, tensor(x))
            expect_close(got, run(values, x, 2, mean), dtype="float32", what="the output in training")
        expect_close(stored(model)["mean"], mean, dtype="float32", what="the mean after three batches")

    def optimised() -> None:
        model, values = draw(3, 2)
        x, rate = rng.normal(size=(6, 3)).astype(np.float32).astype(np.float64), rng.uniform(0.05, 0.2)
        mean = 0.9 * values["mean"] + 0.1 * x.mean(axis=0)
        box.call(box.define(HELPERS, "train_step"), model, tensor(x), rate)
        now = stored(model)
        plain = run(values | {"scale": np.ones(3)}, x, 2, mean)
        scale = values["scale"] - rate * plain.sum(axis=0)
        expect_close(now["scale"], scale, dtype="float32", what="the scale after a step")
        bias = values["layers.1.bias"] - rate * len(x) * values["scale"]
        expect_close(now["layers.1.bias"], bias, dtype="float32", what="the last bias after a step")
        first = x - mean
        on = first @ values["layers.0.weight"].T + values["layers.0.bias"] > 0
        back = on * (values["scale"] @ values["layers.1.weight"])
        weight = values["layers.0.weight"] - rate * back.T @ first
        expect_close(now["layers.0.weight"], weight, dtype="float32", what="the first weight after a step")

    def repeated() -> None:
        """The mean must not carry the graph of one batch into the next, nor require grad."""
        model, values = draw(3, 2)
        mean = values["mean"]
        for _ in range(3):
            sent = tensor(rng.normal(size=(4, 3)), requires_grad=True)
            box.call(box.define(HELPERS, "train_step"), model, sent, 0.01)
            mean = 0.9 * mean + 0.1 * np.asarray(sent.data, dtype=np.float64).mean(axis=0)
        expect_close(stored(model)["mean"], mean, dtype="float32", what="the mean after three steps")
        expect(not array(box.value(box.get(model, "mean"))).requires_grad, "the mean has become part of the graph")

    def conversion() -> None:
        model, _ = draw(3, 2)
        box.make(box.get(model, "double"))
        expect(ask("dtypes", model) == ["torch.float64"], "something was left behind by .double()")
        got = box.call(model, tensor(rng.normal(size=(4, 3)), "float64"))
        expect(array(got).dtype == "float64", "the output has another dtype after .double()")

    def reload() -> None:
        """Saved after training and loaded into a fresh model: the same outputs."""
        model, values = draw(3, 3)
        x = rng.normal(size=(5, 3)).astype(np.float32).astype(np.float64)
        box.call(model, tensor(x + 3))
        fresh = box.make(stack, 3, 3)
        box.call(box.define(HELPERS, "load"), fresh, box.make(box.get(model, "state_dict")))
        box.method(fresh, "eval")
        mean = 0.9 * values["mean"] + 0.1 * (x + 3).mean(axis=0)
        got = box.call(fresh, tensor(x))
        expect_close(got, run(values, x, 3, mean), dtype="float32", what="the output of the reloaded model")

    def untouched() -> None:
        model, _ = draw(3, 2)
        sent = tensor(rng.normal(size=(4, 3)))
        held = box.keep(sent)
        box.call(model, held)
        expect_unchanged(box, held, sent, "x")

    yield case("documented-example", "the names of the parameters", documented, visible=True)
    yield case("parameters", "which tensors are parameters", parameters)
    yield case("buffer", "which tensors are buffers", buffer)
    yield case("state-dict", "what is saved", state)
    yield case("start-values", "the values at the start", starts)
    yield case("evaluation", "the output in evaluation", evaluation)
    yield case("training", "output and running mean in training", training)
    yield case("optimizer-step", "that an optimizer moves every parameter", optimised)
    yield case("repeated-steps", "several steps in a row", repeated)
    yield case("conversion", "that .double() takes everything along", conversion)
    yield case("reload", "saving and loading into a fresh model", reload)
    yield case("input-untouched", "that the input is left alone", untouched)
