"""LayerNorm(size, eps) and RMSNorm(size, eps), modules, against numpy in float64, gradients included.

PyTorch's own normalisations are switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, kind, note, tensor

Floats = npt.NDArray[np.float64]
Size = int | tuple[int, ...]
EPS = {"LayerNorm": 1e-5, "RMSNorm": 1e-6}

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("PyTorch's own normalisation is switched off: do the arithmetic yourself")
    for name in ("layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"):
        setattr(torch.nn.functional, name, refuse)
        setattr(torch, name, refuse)
    torch.native_layer_norm = torch.native_group_norm = torch.native_batch_norm = torch._fused_rms_norm = refuse
    for name in ("LayerNorm", "RMSNorm", "GroupNorm"):
        setattr(torch.nn, name, refuse)
"""

HELP = """
def state(module):
    return {name: item.detach().clone() for name, item in module.state_dict().items()}

def trained(module):
    return sorted(name for name, item in module.named_parameters() if item.requires_grad)

def fill(module, values):
    module.load_state_dict(values, strict=True)

def bind(module, names):
    return lambda x, *values: torch.func.functional_call(module, dict(zip(names, values)), (x,))

def turned(x):  # the same values, with the first and the last axis swapped in memory
    return x.transpose(0, -1).contiguous().transpose(0, -1)
"""


class Norm(NamedTuple):
    """What a module computes: its name, size, epsilon, weight and bias (None for RMSNorm)."""

    name: str
    size: tuple[int, ...]
    eps: float
    weight: Floats
    bias: Floats | None

    def values(self) -> dict[str, Floats]:
        """By parameter name."""
        return {"weight": self.weight} if self.bias is None else {"weight": self.weight, "bias": self.bias}

    def normal(self, x: Floats) -> tuple[Floats, Floats]:
        """The normalised input, and the factor that it was multiplied by."""
        axes = tuple(range(-len(self.size), 0))
        centred = x if self.bias is None else x - x.mean(axes, keepdims=True)
        factor = 1 / np.sqrt((centred**2).mean(axes, keepdims=True) + self.eps)
        return np.asarray(centred * factor), np.asarray(factor)

    def output(self, x: Floats) -> Floats:
        """Of x, in float64."""
        y = self.normal(x)[0] * self.weight
        return np.asarray(y if self.bias is None else y + self.bias)

    def gradients(self, x: Floats, upstream: Floats) -> list[Floats]:
        """With respect to x, the weight and, if there is one, the bias."""
        (normal, factor), lead = self.normal(x), tuple(range(x.ndim - len(self.size)))
        axes = tuple(range(-len(self.size), 0))
        pulled = upstream * self.weight
        by_x = pulled - normal * (pulled * normal).mean(axes, keepdims=True)
        if self.bias is not None:
            by_x = by_x - pulled.mean(axes, keepdims=True)
        found = [by_x * factor, (upstream * normal).sum(lead)]
        return [np.asarray(item) for item in (found if self.bias is None else [*found, upstream.sum(lead)])]


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    module = box.load()
    kinds = {name: box.get(module, name) for name in EPS}
    state, trained, fill, bind, turned = (
        box.define(HELP, name) for name in ("state", "trained", "fill", "bind", "turned")
    )

    def drawn(*shape: int, shift: float = 0.0, scale: float = 1.0) -> Floats:
        """Numbers exact in float32."""
        return np.asarray((shift + scale * rng.normal(size=shape)).astype(np.float32), dtype=np.float64)

    def made(name: str, size: Size, dtype: str = "float32", eps: float | None = None) -> tuple[Norm, Handle]:
        """A filled module and what it computes."""
        shape = (size,) if isinstance(size, int) else size
        bias = np.round(drawn(*shape), 2) if name == "LayerNorm" else None
        norm = Norm(name, shape, EPS[name] if eps is None else eps, np.round(drawn(*shape, shift=1.5), 2), bias)
        held = box.make(kinds[name], size) if eps is None else box.make(kinds[name], size, eps=eps)
        if dtype == "float64":
            box.method(held, "double")
        box.call(fill, held, {key: tensor(value, dtype) for key, value in norm.values().items()})
        return norm, held

    def compare(norm: Norm, held: Handle, x: Floats, dtype: str = "float32", atol: float | None = None) -> None:
        expect_close(box.call(held, tensor(x, dtype)), norm.output(x), dtype=dtype, atol=atol, what="the output")

    def documented() -> None:
        note("x", [1.0, 3.0])
        for name, eps, wanted in (("LayerNorm", 1.0, [-(0.5**0.5), 0.5**0.5]), ("RMSNorm", 4.0, [1 / 3, 1.0])):
            got = box.call(box.make(kinds[name], 2, eps=eps), tensor([1.0, 3.0]))
            expect_close(got, np.array(wanted), dtype="float32", what=f"{name} with eps {eps:g}")

    def start() -> None:
        for name in EPS:
            for size in (int(rng.integers(3, 7)), (2, int(rng.integers(3, 7)))):
                held = box.make(kinds[name], size)
                wanted = {"weight": np.ones(size), "bias": np.zeros(size)}
                names = ["bias", "weight"] if name == "LayerNorm" else ["weight"]
                expect(box.call(trained, held) == names, f"{name} trains other parameters than it should")
                found = box.call(state, held)
                if not isinstance(found, dict) or sorted(map(str, found)) != names:
                    raise Mismatch(f"the state of {name} does not hold its parameters alone")
                for key in names:
                    expect_close(found[key], wanted[key], dtype="float32", what=f"{key} at the start")

    def rows(name: str) -> None:
        for shape in ((6, 5), (2, 3, 8), (7,)):
            norm, held = made(name, shape[-1])
            compare(norm, held, drawn(*shape, shift=0.7, scale=1.6))

    def several_axes() -> None:
        for name in EPS:
            for size, lead in (((3, 4), (2,)), ((2, 3, 2), (1, 4)), ((5,), (3,))):
                norm, held = made(name, size)
                compare(norm, held, drawn(*lead, *size, shift=0.5, scale=2.0))

    def epsilon() -> None:
        for name in EPS:
            norm, held = made(name, 6)
            compare(norm, held, drawn(4, 6, scale=float(np.sqrt(EPS[name]))))
            eps = float(rng.uniform(0.3, 0.9))
            norm, held = made(name, 6, eps=eps)
            compare(norm, held, drawn(4, 6))

    def constant_rows() -> None:
        for name in EPS:
            norm, held = made(name, 4, "float64")
            x = drawn(3, 4)
            x[0], x[1] = 0.0, float(rng.integers(2, 9)) if name == "LayerNorm" else 0.0
            compare(norm, held, x, "float64")
            compare_gradients(norm, held, x)

    def large_mean() -> None:
        norm, held = made("LayerNorm", 16)
        compare(norm, held, drawn(5, 16, shift=3000.0), atol=2e-2)

    def compare_gradients(norm: Norm, held: Handle, x: Floats) -> None:
        values = norm.values()
        forward = box.make(bind, held, list(values))
        inputs = [tensor(item, "float64", requires_grad=True) for item in (x, *values.values())]
        upstream = rng.normal(size=x.shape)
        got = box.vjp(forward, inputs, [tensor(upstream, "float64")])
        for key, found, wanted in zip(("x", *values), got.gradients, norm.gradients(x, upstream), strict=True):
            expect(found is not None, f"the output does not depend on {key} as far as autograd can tell")
            expect_close(found, wanted, dtype="float64", what=f"the gradient with respect to {key}")

    def gradients() -> None:
        for name in EPS:
            for size, shape in ((5, (4, 5)), ((2, 3), (2, 4, 2, 3))):
                norm, held = made(name, size, "float64")
                compare_gradients(norm, held, drawn(*shape, shift=0.6))

    def half() -> None:
        for name in EPS:
            for dtype, scale in (("float16", 1.0), ("bfloat16", 1.0), ("float16", 1500.0), ("float16", 2e-4)):
                norm, held = made(name, 64)
                sent = tensor(drawn(8, 64, shift=0.4 * scale, scale=scale), dtype)
                exact = norm.output(sent.data.astype(np.float64))
                # Rounded once: half a unit in the last place, and a little for float32.
                unit = 2.0**-11 if dtype == "float16" else 2.0**-8
                got = box.call(held, sent)
                expect_close(got, exact, dtype=dtype, rtol=1.1 * unit, atol=2e-5, what="the output")
            norm, held = made(name, 64)
            box.method(held, "half")
            sent = tensor(drawn(4, 64, scale=300.0), "float16")
            cut = {key: value.astype(np.float16).astype(np.float64) for key, value in norm.values().items()}
            norm = norm._replace(weight=cut["weight"], bias=cut.get("bias"))
            got = box.call(held, sent)
            expect_close(got, norm.output(sent.data.astype(np.float64)), dtype="float16", what="the output")

    def float64() -> None:
        for name in EPS:
            norm, held = made(name, 5, "float64")
            x = drawn(4, 5, shift=1.0)
            got = box.call(held, tensor(x, "float64"))
            expect_close(got, norm.output(x), dtype="float64", rtol=1e-10, what="the output")

    def shapes() -> None:
        for name in EPS:
            for size, shape in ((4, (0, 4)), (4, (2, 0, 4)), (1, (3, 1)), ((1, 1), (1, 1, 1))):
                norm, held = made(name, size)
                compare(norm, held, drawn(*shape))

    def views_and_inputs() -> None:
        for name in EPS:
            norm, held = made(name, 5)
            box.method(held, "eval")
            before = tensor(drawn(4, 3, 5, shift=0.5))
            x = box.make(turned, before)
            got: Value = box.call(held, x)
            expect(isinstance(got, Array), f"the output should be a tensor, and is {kind(got)}")
            expect_close(array(got), norm.output(before.data.astype(np.float64)), dtype="float32", what="the output")
            expect_unchanged(box, x, before, "x")
            for key, value in norm.values().items():
                expect_unchanged(box, box.get(held, key), tensor(value), key)

    yield case("documented-example", "the documented examples", documented, visible=True)
    yield case("parameters", "the parameters that are trained and stored, and their start", start)
    yield case("layer-norm", "LayerNorm over the last axis", lambda: rows("LayerNorm"))
    yield case("rms-norm", "RMSNorm over the last axis", lambda: rows("RMSNorm"))
    yield case("several-axes", "a size of several axes", several_axes)
    yield case("epsilon", "where epsilon counts: its default, another one, and its place", epsilon)
    yield case("constant-rows", "rows without any spread, and their gradients", constant_rows)
    yield case("large-mean", "a mean that is much larger than the spread", large_mean)
    yield case("gradients", "the gradients with respect to input and parameters", gradients)
    yield case("half", "float16 and bfloat16", half)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("shapes", "no rows at all, and rows of one entry", shapes)
    yield case("views-and-inputs", "an input that is not contiguous, and that it is left alone", views_and_inputs)
