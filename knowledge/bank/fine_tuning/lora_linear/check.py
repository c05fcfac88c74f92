"""LoRALinear(base, rank, alpha) against numpy in float64: output, gradients, what is trained, merging and back.

Values are written and read by their names in the state dict, and the base layer by a handle that the check has kept.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]

HELP = """
def linear(inputs, outputs, bias, dtype):
    return torch.nn.Linear(inputs, outputs, bias=bias).to(getattr(torch, dtype))

def trained(module):
    return sorted(name for name, item in module.named_parameters() if item.requires_grad)

def state(module):
    return {name: item.detach().clone() for name, item in module.state_dict().items()}

def fill(module, values):
    module.load_state_dict(values, strict=True)

def descend(module, x, target, rate):
    optimizer = torch.optim.SGD(module.parameters(), lr=rate)
    ((module(x) - target) ** 2).sum().backward()
    left = [module.base.weight.grad is not None]
    optimizer.step()
    optimizer.zero_grad()
    return any(left)

def bind(module):
    def run(x, lora_a, lora_b):
        return torch.func.functional_call(module, {"lora_a": lora_a, "lora_b": lora_b}, (x,))
    return run

def turned(x):
    return x.transpose(0, -1).contiguous().transpose(0, -1)
"""


class Adapted:
    """A layer in the box with values of its own, and the same as numpy values here."""

    def __init__(
        self, box: Box, rng: np.random.Generator, kind: Handle, sizes: tuple[int, int, int] = (5, 4, 2),
        bias: bool = True, dtype: str = "float32",
    ) -> None:  # fmt: skip
        self.box, self.rng, self.dtype = box, rng, dtype
        inputs, outputs, rank = sizes
        self.scale = (alpha := float(rng.integers(3, 17))) / rank
        self.base = box.make(box.define(HELP, "linear"), inputs, outputs, bias, dtype)
        self.layer = box.make(kind, self.base, rank, alpha)
        self.weight, self.a, self.b = self.drawn(outputs, inputs), self.drawn(rank, inputs), self.drawn(outputs, rank)
        self.bias = self.drawn(outputs) if bias else None
        values = {"base.weight": self.weight, "lora_a": self.a, "lora_b": self.b}
        if self.bias is not None:
            values["base.bias"] = self.bias
        self.names = sorted(values)
        box.call(box.define(HELP, "fill"), self.layer, {key: tensor(item, dtype) for key, item in values.items()})

    def drawn(self, *shape: int) -> Floats:
        """Numbers exact in float16."""
        return np.asarray(self.rng.uniform(-1, 1, shape).astype(np.float16), dtype=np.float64)

    def output(self, x: Floats) -> Floats:
        """The right output."""
        y = x @ (self.weight + self.scale * self.b @ self.a).T
        return np.asarray(y if self.bias is None else y + self.bias)

    def compare(self, x: Floats, rtol: float | None = None) -> None:
        """Compare the layer's output."""
        got = self.box.call(self.layer, tensor(x, self.dtype))
        expect_close(got, self.output(x), dtype=self.dtype, rtol=rtol, what="the output")

    def base_is(self, weight: Floats, rtol: float | None = None) -> None:
        """Compare the weight and the bias of the layer that was handed in."""
        got = array(self.box.value(self.box.get(self.base, "weight")))
        expect_close(got, weight, dtype=self.dtype, rtol=rtol, what="the weight of the base layer")
        if self.bias is not None:
            found = array(self.box.value(self.box.get(self.base, "bias")))
            expect_close(found, self.bias, dtype=self.dtype, rtol=0.0, atol=0.0, what="the bias of the base layer")

    def merged_weight(self) -> Floats:
        """The weight with the update in it."""
        return np.asarray(self.weight + self.scale * self.b @ self.a)

    def trains_the_factors(self) -> None:
        """Only lora_a and lora_b may require grad."""
        found = self.box.call(self.box.define(HELP, "trained"), self.layer)
        expect(found == ["lora_a", "lora_b"], "other parameters are trained than lora_a and lora_b")


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    kind = box.get(box.load(), "LoRALinear")
    linear, state, descend, bind = (box.define(HELP, name) for name in ("linear", "state", "descend", "bind"))

    def made(sizes: tuple[int, int, int] = (5, 4, 2), bias: bool = True, dtype: str = "float32") -> Adapted:
        return Adapted(box, rng, kind, sizes, bias, dtype)

    def stored(layer: Handle) -> dict[str, Array]:
        found = box.call(state, layer)
        if not isinstance(found, dict):
            raise Mismatch("there is no state dict")
        return {str(name): array(value) for name, value in found.items()}

    def documented() -> None:
        base = box.make(linear, 2, 1, False, "float32")
        layer = box.make(kind, base, 1, 2.0)
        values = {"base.weight": [[1.0, 1.0]], "lora_a": [[1.0, 0.0]], "lora_b": [[0.5]]}
        box.call(box.define(HELP, "fill"), layer, {key: tensor(item) for key, item in values.items()})
        note("weight, lora_a, lora_b", [[1.0, 1.0], [1.0, 0.0], 0.5])
        note("x", [3.0, 4.0])
        for _ in range(2):
            got = box.call(layer, tensor([[3.0, 4.0]]))
            expect_close(got, np.array([[10.0]]), dtype="float32", what="the output")
            box.method(layer, "merge")
        weight = box.value(box.get(base, "weight"))
        expect_close(weight, np.array([[2.0, 1.0]]), dtype="float32", what="the merged weight")

    def start() -> None:
        inputs, outputs, rank = int(rng.integers(4, 9)), int(rng.integers(3, 7)), int(rng.integers(2, 4))
        x, drawn = rng.normal(size=(3, inputs)), []
        for bias in (True, False):
            base = box.make(linear, inputs, outputs, bias, "float32")
            before = box.call(base, tensor(x))
            layer = box.make(kind, base, rank, 8.0)
            expect_close(box.call(layer, tensor(x)), array(before), dtype="float32", what="the output at the start")
            values = stored(layer)
            names = ["base.weight", "lora_a", "lora_b"] + ["base.bias"] * bias
            expect(sorted(values) == sorted(names), "the state dict has other entries than it should")
            expect_close(values["lora_b"], np.zeros((outputs, rank)), dtype="float32", what="lora_b at the start")
            a = values["lora_a"]
            expect(a.shape == (rank, inputs), "lora_a has the wrong shape")
            expect(a.dtype == "float32" and len(np.unique(a.data)) > rank * inputs / 2, "lora_a should be random")
            drawn.append(a.data)
        expect(not np.array_equal(drawn[0], drawn[1]), "lora_a is the same in each layer")

    def output() -> None:
        for sizes in ((5, 4, 2), (3, 6, 1), (4, 4, 4)):
            layer = made(sizes)
            layer.compare(layer.drawn(7, sizes[0]))

    def without_bias() -> None:
        layer = made(bias=False)
        x = layer.drawn(3, 5)
        layer.compare(x)
        box.method(layer.layer, "merge")
        layer.compare(x)

    def frozen() -> None:
        layer = made(dtype="float64")
        layer.trains_the_factors()
        x, target, rate = layer.drawn(6, 5), layer.drawn(6, 4), 0.002
        for _ in range(2):
            left = box.call(descend, layer.layer, tensor(x, "float64"), tensor(target, "float64"), rate)
            expect(left is False, "a gradient of the frozen weight is computed")
            slope = 2 * (layer.output(x) - target)
            by_a, by_b = layer.scale * layer.b.T @ slope.T @ x, layer.scale * slope.T @ x @ layer.a.T
            layer.a, layer.b = layer.a - rate * by_a, layer.b - rate * by_b
            values = stored(layer.layer)
            expect_close(values["lora_a"], layer.a, dtype="float64", what="lora_a after a step")
            expect_close(values["lora_b"], layer.b, dtype="float64", what="lora_b after a step")
            layer.base_is(layer.weight, rtol=1e-12)

    def gradients() -> None:
        layer = made(dtype="float64")
        x, upstream = layer.drawn(2, 3, 5), layer.drawn(2, 3, 4)
        inputs = [tensor(item, "float64", requires_grad=True) for item in (x, layer.a, layer.b)]
        got = box.vjp(box.make(bind, layer.layer), inputs, [tensor(upstream, "float64")])
        rows, pulled = x.reshape(-1, 5), upstream.reshape(-1, 4)
        by_a, by_b = layer.scale * layer.b.T @ pulled.T @ rows, layer.scale * pulled.T @ rows @ layer.a.T
        wanted = (upstream @ layer.merged_weight(), by_a, by_b)
        for name, found, value in zip(("x", "lora_a", "lora_b"), got.gradients, wanted, strict=True):
            expect(found is not None, f"the output does not depend on {name} as far as autograd can tell")
            expect_close(found, value, dtype="float64", what=f"the gradient with respect to {name}")

    def merged() -> None:
        layer = made()
        x = layer.drawn(4, 5)
        box.method(layer.layer, "merge")
        layer.base_is(layer.merged_weight())
        layer.compare(x)
        got = box.call(layer.base, tensor(x))
        expect_close(got, layer.output(x), dtype="float32", what="the output of the base layer alone")
        layer.trains_the_factors()

    def merged_twice() -> None:
        layer = made()
        for _ in range(2):
            box.method(layer.layer, "merge")
        layer.base_is(layer.merged_weight())
        layer.compare(layer.drawn(3, 5))

    def unmerged() -> None:
        layer = made(dtype="float64")
        x = layer.drawn(4, 5)
        box.method(layer.layer, "unmerge")
        layer.base_is(layer.weight, rtol=1e-12)
        for _ in range(2):
            box.method(layer.layer, "merge")
            box.method(layer.layer, "unmerge")
            box.method(layer.layer, "unmerge")
            layer.base_is(layer.weight, rtol=1e-10)
            layer.compare(x)
        layer.trains_the_factors()

    def trained_after() -> None:
        layer = made(dtype="float64")
        x, target = layer.drawn(4, 5), layer.drawn(4, 4)
        box.method(layer.layer, "merge")
        box.method(layer.layer, "unmerge")
        box.call(descend, layer.layer, tensor(x, "float64"), tensor(target, "float64"), 0.01)
        values = stored(layer.layer)
        layer.a, layer.b = (values[name].data.astype(np.float64) for name in ("lora_a", "lora_b"))
        layer.base_is(layer.weight, rtol=1e-10)
        box.method(layer.layer, "merge")
        layer.base_is(layer.merged_weight(), rtol=1e-10)
        layer.compare(x)

    def modes() -> None:
        layer = made()
        x = layer.drawn(3, 5)
        for mode in ("eval", "train", "eval"):
            box.method(layer.layer, mode)
            layer.compare(x)
            layer.base_is(layer.weight)

    def dtypes() -> None:
        for dtype in ("float64", "float16", "bfloat16"):
            base = box.make(linear, 4, 3, True, dtype)
            values = stored(box.make(kind, base, 2, 4.0))
            expect({item.dtype for item in values.values()} == {dtype}, "the factors have another dtype than the base")
        layer = made(dtype="float64")
        layer.compare(layer.drawn(3, 5), rtol=1e-10)
        layer = made(dtype="float16")
        layer.compare(layer.drawn(3, 5))

    def shapes_and_inputs() -> None:
        layer = made()
        for shape in ((5,), (0, 5), (2, 0, 5), (2, 3, 2, 5)):
            layer.compare(layer.drawn(*shape))
        before = tensor(layer.drawn(4, 3, 5))
        x: Handle = box.make(box.define(HELP, "turned"), before)
        got: Value = box.call(layer.layer, x)
        wanted = layer.output(before.data.astype(np.float64))
        expect_close(got, wanted, dtype="float32", what="the output for a view")
        expect_unchanged(box, x, before, "x")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("start", "a new layer: its output, names, shapes and values", start)
    yield case("output", "the output, for several sizes and ranks", output)
    yield case("without-bias", "a base layer without a bias", without_bias)
    yield case("frozen", "two steps of training, which leave the base alone", frozen)
    yield case("gradients", "the gradients with respect to the input and both factors", gradients)
    yield case("merged", "merging: the weight, the output, and what is trained", merged)
    yield case("merged-twice", "merging twice", merged_twice)
    yield case("unmerged", "taking the update out again", unmerged)
    yield case("trained-after", "training and merging once more", trained_after)
    yield case("modes", "train and eval change nothing", modes)
    yield case("dtypes", "the dtype of the base layer", dtypes)
    yield case("shapes-and-inputs", "inputs of any shape, and that they are left alone", shapes_and_inputs)
