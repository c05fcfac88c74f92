"""grad_at(f, x): the derivative of hidden functions of one variable, leaving every tensor as it was."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import array, case, expect, expect_close, tensor

# Relative tolerances. x as a Python number may become float32 on its way, whatever the result's type.
SINGLE = 1e-4
DOUBLE = 1e-10

MAKE_LEAF = """
def make_leaf(value, gradient):
    x = value.clone().requires_grad_(True)
    x.grad = gradient.clone()
    return x
"""


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Cases for the values, for functions that only autograd gets right, for independence, and for side effects."""
    grad_at = box.get(box.load(), "grad_at")

    def draw(low: float, high: float) -> float:
        return round(float(rng.uniform(low, high)), 3)

    def expect_derivative(f: Handle, x: Value, expected: float, rtol: float = SINGLE, given: object = None) -> None:
        atol = rtol * max(abs(expected), 0.01)
        expect_close(box.call(grad_at, f, x), expected, rtol=rtol, atol=atol, what="derivative", given=given)

    def documented() -> None:
        f = box.define("def f(x):\n    return 3 * x**2 + 2 * x", "f")
        expect_derivative(f, 4.0, 26.0, given="f(x) = 3x² + 2x at x = 4.0")

    def polynomial() -> None:
        a, b, c = draw(1, 4), draw(1, 4), draw(-5, 5)
        f = box.define(f"def f(x):\n    return {a} * x**3 + {b} * x + {c}", "f")
        for x in (draw(0.5, 2), draw(-2, -0.5), 0.0):
            expect_derivative(f, x, 3 * a * x**2 + b)

    def operations() -> None:
        a, b = draw(0.5, 1.5), draw(0.2, 0.8)
        f = box.define(f"def f(x):\n    return torch.sin({a} * x) * torch.exp(-{b} * x) + torch.log(1 + x * x)", "f")
        for x in (draw(0.2, 0.9), draw(-0.9, -0.2)):
            wave = math.exp(-b * x) * (a * math.cos(a * x) - b * math.sin(a * x))
            expect_derivative(f, x, wave + 2 * x / (1 + x * x))

    def whole_number() -> None:
        a, x = draw(1, 4), int(rng.integers(2, 7))
        f = box.define(f"def f(x):\n    return {a} * x.sqrt() + x * x", "f")
        expect_derivative(f, x, a / (2 * math.sqrt(x)) + 2 * x)

    def reused() -> None:
        a, x = draw(0.5, 1.5), draw(0.5, 1.5)
        f = box.define(f"def f(x):\n    u = {a} * x\n    v = u * x + u\n    return u * v + torch.tanh(x) + x", "f")
        # u·v = a²x³ + a²x²
        expect_derivative(f, x, a * a * (3 * x * x + 2 * x) + 1 / math.cosh(x) ** 2 + 1)

    def branches() -> None:
        a, b, edge = draw(1, 3), draw(2, 5), draw(-1, 1)
        f = box.define(f"def f(x):\n    if x > {edge}:\n        return {a} * x * x\n    return {b} * torch.exp(x)", "f")
        above, below = edge + draw(1.5, 2.5), edge - draw(0.1, 1)
        expect_derivative(f, above, 2 * a * above)
        expect_derivative(f, below, b * math.exp(below))

    def loop() -> None:
        limit = draw(8, 30)
        f = box.define(f"def f(x):\n    y = x\n    while y < {limit}:\n        y = y * x\n    return y", "f")
        for power in (3, 6):  # x halfway between two powers, so that rounding cannot change the number of rounds
            x = limit ** (1 / (power - 0.5))
            expect_derivative(f, x, power * x ** (power - 1))

    def detached() -> None:
        a, x = draw(1, 3), draw(1, 3)
        f = box.define(f"def f(x):\n    return x.detach() * x + {a} * x", "f")
        expect_derivative(f, x, x + a)

    def double() -> None:
        a, x = draw(0.5, 1.5), float(rng.uniform(0.5, 1.5))
        f = box.define(f"def f(x):\n    return torch.exp({a} * x) * x", "f")
        expect_derivative(f, tensor(x, "float64"), math.exp(a * x) * (1 + a * x), rtol=DOUBLE)

    def constant() -> None:
        c = draw(1, 9)
        f = box.define(f"def f(x):\n    return torch.tensor({c})", "f")
        expect_derivative(f, draw(1, 3), 0.0)

    def unused() -> None:
        w = draw(1, 3)
        f = box.define(f"w = torch.tensor({w}, requires_grad=True)\n\n\ndef f(x):\n    return w * w", "f")
        expect_derivative(f, draw(1, 3), 0.0)

    def repeated() -> None:
        a, x = draw(1, 3), draw(1, 3)
        f = box.define(f"def f(x):\n    return {a} * x * x", "f")
        held = box.keep(tensor(x, "float32", requires_grad=True))
        for _ in range(3):
            expect_derivative(f, held, 2 * a * x)
        other = draw(4, 6)
        for point in (other, other, x):
            expect_derivative(f, point, 2 * a * point)

    def given_tensor() -> None:
        a, x, old = draw(1, 3), draw(1, 3), draw(5, 9)
        f = box.define(f"def f(x):\n    return {a} * x * x", "f")
        plain = box.keep(tensor(x, "float64"))
        expect_derivative(f, plain, 2 * a * x, rtol=DOUBLE)
        expect_same(box, plain, tensor(x, "float64"), None, "x")
        make_leaf = box.define(MAKE_LEAF, "make_leaf")
        leaf = box.make(make_leaf, tensor(x, "float64"), tensor(old, "float64"))
        expect_derivative(f, leaf, 2 * a * x, rtol=DOUBLE)
        expect_same(box, leaf, tensor(x, "float64", requires_grad=True), tensor(old, "float64"), "x")

    def weight() -> None:
        w, old, x = draw(1, 3), draw(5, 9), draw(1, 3)
        make_leaf = box.define(MAKE_LEAF, "make_leaf")
        fresh = box.keep(tensor(w, "float32", requires_grad=True))
        used = box.make(make_leaf, tensor(w), tensor(old))
        make_f = box.define("def make_f(v, w):\n    return lambda x: v * w * x * x", "make_f")
        expect_derivative(box.make(make_f, fresh, used), x, 2 * w * w * x)
        expect_same(box, fresh, tensor(w, requires_grad=True), None, "a weight used by f")
        expect_same(box, used, tensor(w, requires_grad=True), tensor(old), "a weight used by f")

    yield case("documented-example", "the example of the question", documented, visible=True)
    yield case("hidden-polynomial", "polynomials, at positive and negative x and at 0", polynomial)
    yield case("torch-operations", "sin, exp and log of torch", operations)
    yield case("python-int", "x given as a Python int", whole_number)
    yield case("reused-input", "x used several times in f", reused)
    yield case("branches", "an if in f that depends on x", branches)
    yield case("data-dependent-loop", "a loop in f whose length depends on x", loop)
    yield case("detached-part", "a part of f that is detached counts as a constant", detached)
    yield case("double-precision", "a float64 tensor is differentiated in float64", double)
    yield case("constant-function", "f returns a tensor that has no graph", constant)
    yield case("unused-input", "f has a graph in which x does not occur", unused)
    yield case("repeated-calls", "the same result when called again", repeated)
    yield case("given-tensor-untouched", "x keeps its value, requires_grad and .grad", given_tensor)
    yield case("weight-untouched", "tensors used by f keep their value, requires_grad and .grad", weight)


def expect_same(box: Box, held: Handle, before: Array, gradient: Array | None, what: str) -> None:
    """Raise Mismatch unless the tensor has the value and the requires_grad of `before`, and that .grad."""
    now = array(box.value(held), what)
    expect(now.dtype == before.dtype and np.array_equal(now.data, before.data), f"the value of {what} was changed")
    expect(now.requires_grad == before.requires_grad, f"requires_grad of {what} was changed")
    found = box.value(box.get(held, "grad"))
    if gradient is None:
        expect(found is None, f"{what} has a .grad that it did not have before")
    else:
        kept = isinstance(found, Array) and np.array_equal(found.data, gradient.data)
        expect(kept, f"the .grad of {what} was changed")
