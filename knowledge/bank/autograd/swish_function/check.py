"""swish(x) = x · sigmoid(x): value, first and second derivative against closed formulas in float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Array, Box, CandidateError, Case, Handle
from sandbox.toolkit import case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]

WRAPPERS = """
def transposed(f):
    return lambda x: f(x.transpose(0, 1))

def every_other(f):
    return lambda x: f(x[:, ::2])

def chained(f):
    return lambda x: f(2 * f(x) + x)

def first_derivative(f):
    def run(x, upstream):
        return torch.autograd.grad(f(x), x, upstream, create_graph=True)[0]
    return run

def uses_function(f):
    pending, seen = [f(torch.ones(2, requires_grad=True)).grad_fn], set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            return True
        seen.add(node)
        pending.extend(parent for parent, _ in node.next_functions)
    return False
"""


def sigmoid(x: Floats) -> Floats:
    """The logistic function, without overflow at either end."""
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + small), small / (1 + small)), dtype=np.float64)


def value(x: Floats) -> Floats:
    """x·s with s = sigmoid(x)."""
    return x * sigmoid(x)


def slope(x: Floats) -> Floats:
    """The first derivative, s·(1 + x·(1 − s)); sigmoid(−x) is 1 − s without cancellation."""
    return sigmoid(x) * (1 + x * sigmoid(-x))


def curvature(x: Floats) -> Floats:
    """The second derivative, s·(1 − s)·(2 + x·(1 − 2·s))."""
    return sigmoid(x) * sigmoid(-x) * (2 + x * (1 - 2 * sigmoid(x)))


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Cases for values, gradients, double backward, extreme inputs and odd shapes; the last one is advice only."""
    swish = box.get(box.load(), "swish")

    def wrapped(name: str) -> Handle:
        return box.make(box.define(WRAPPERS, name), swish)

    def numbers(*shape: int) -> Floats:
        return np.asarray(rng.uniform(-4, 4, shape), dtype=np.float64)

    def large_numbers() -> Floats:
        sizes = np.array([30.0, 90.0, 110.0, 750.0, 1e4]) * rng.uniform(0.9, 1, 5)
        return np.concatenate([-sizes, sizes]).astype(np.float32).astype(np.float64)

    def expect_gradient(
        function: Handle, x: Floats, wanted: Floats, local: Floats, dtype: str = "float64", atol: float | None = None
    ) -> None:
        """The output, and the gradient for a drawn upstream gradient: that times `local`."""
        upstream = np.asarray(rng.uniform(0.5, 2, wanted.shape) * rng.choice([-1.0, 1.0], wanted.shape))
        result = box.vjp(function, [tensor(x, dtype)], [tensor(upstream, dtype)])
        expect_close(result.outputs[0], wanted, atol=atol, what="value")
        found = present(result.gradients[0], "gradient")
        expect_close(found, upstream * local, atol=atol, what="gradient")

    def expect_second(x: Floats, upstream: Floats, second: Floats, dtype: str = "float64") -> None:
        """The derivative of the gradient, for an upstream gradient of each."""
        sent = [tensor(item, dtype) for item in (x, upstream, second)]
        result = box.vjp(swish, sent[:1], sent[1:2], second=sent[2:])
        found = present(result.second[0] if result.second else None, "second derivative")
        expect_close(found, second * upstream * curvature(x), what="second derivative")

    def documented() -> None:
        x = np.array([-2.0, -1.0, 1.0])
        result = box.vjp(swish, [tensor(x, "float64")], [tensor(np.ones(3), "float64")])
        note("input", x)
        expect_close(result.outputs[0], value(x), what="value")
        expect_close(present(result.gradients[0], "gradient"), slope(x), what="gradient")

    def forward_values() -> None:
        for x, dtype in ((numbers(3, 4), "float32"), (numbers(5), "float64"), (numbers(2, 1, 3), "float64")):
            expect_close(box.call(swish, tensor(x, dtype)), value(x), dtype=dtype, what="value")

    def gradient_values() -> None:
        x = numbers(4, 3)
        expect_gradient(swish, x, value(x), slope(x))

    def single_precision() -> None:
        x = numbers(6).astype(np.float32).astype(np.float64)
        expect_gradient(swish, x, value(x), slope(x), "float32")

    def chained() -> None:
        x = numbers(7)
        inner = 2 * value(x) + x
        expect_gradient(wrapped("chained"), x, value(inner), slope(inner) * (2 * slope(x) + 1))

    def double_backward() -> None:
        for x in (numbers(3, 2), numbers(4)):
            expect_second(x, numbers(*x.shape), numbers(*x.shape))

    def double_backward_upstream() -> None:
        x, upstream, second = numbers(5), numbers(5), numbers(5)
        result = box.vjp(
            wrapped("first_derivative"),
            [tensor(x, "float64"), tensor(upstream, "float64")],
            [tensor(second, "float64")],
        )
        by_x, by_upstream = result.gradients
        expect_close(present(by_x, "second derivative"), second * upstream * curvature(x), what="second derivative")
        what = "derivative of the gradient with respect to grad_output"
        expect_close(present(by_upstream, what), second * slope(x), what=what)

    def large() -> None:
        x = large_numbers()
        for dtype in ("float32", "float64"):
            expect_gradient(swish, x, value(x), slope(x), dtype, atol=1e-6)  # not scaled to the largest

    def large_twice() -> None:
        x = large_numbers()
        for dtype in ("float32", "float64"):
            expect_second(x, np.ones_like(x), np.ones_like(x), dtype)

    def at_zero() -> None:
        x = np.array([0.0, -0.0, float(rng.uniform(1, 2))])
        expect_gradient(swish, x, value(x), slope(x))

    def shapes() -> None:
        for x in (numbers(), numbers(1), numbers(0), numbers(2, 0, 3)):
            expect_gradient(swish, x, value(x), slope(x))

    def non_contiguous() -> None:
        x, upstream = numbers(3, 4), numbers(4, 3)
        result = box.vjp(wrapped("transposed"), [tensor(x, "float64")], [tensor(upstream, "float64")])
        expect_close(result.outputs[0], value(x.T), what="value")
        expect_close(present(result.gradients[0], "gradient"), upstream.T * slope(x), what="gradient")
        upstream, wanted = numbers(3, 2), np.zeros((3, 4))
        wanted[:, ::2] = upstream * slope(x[:, ::2])
        result = box.vjp(wrapped("every_other"), [tensor(x, "float64")], [tensor(upstream, "float64")])
        expect_close(result.outputs[0], value(x[:, ::2]), what="value")
        expect_close(present(result.gradients[0], "gradient"), wanted, what="gradient")

    def untouched() -> None:
        before = tensor(numbers(3, 3), "float64")
        held = box.keep(before)
        result = box.call(swish, held)
        expect_unchanged(box, held, before, "x")
        expect_close(result, value(np.asarray(before.data, dtype=np.float64)), what="value")

    def advice() -> Case:
        """Whether a custom Function is at work. It never fails: a box cannot prove how a value came about."""
        try:
            found = box.value(wrapped("uses_function"))
        except CandidateError:
            found = False
        why = "" if found is True else "advice: no custom autograd.Function was seen in the graph of swish(x)"
        return Case("custom-function", "a torch.autograd.Function of your own (advice only)", True, why, visible=True)

    yield case("documented-example", "value and gradient at -2, -1 and 1", documented, visible=True)
    yield case("forward-values", "the value, in the dtype of x", forward_values)
    yield case("gradient-values", "the gradient, for an upstream gradient that is not 1", gradient_values)
    yield case("single-precision", "float32 in, float32 gradients out", single_precision)
    yield case("chained", "the gradient through swish used twice in a larger function", chained)
    yield case("double-backward", "the second derivative", double_backward)
    yield case(
        "double-backward-upstream", "the gradient as a function of x and of grad_output", double_backward_upstream
    )
    yield case("large-double-backward", "the second derivative for |x| up to 10000", large_twice)
    yield case("large-inputs", "value and gradient for |x| up to 10000", large)
    yield case("at-zero", "value and gradient at 0", at_zero)
    yield case("scalar-and-empty", "tensors without dimensions, with one element, and empty", shapes)
    yield case("non-contiguous", "transposed and strided views", non_contiguous)
    yield case("input-untouched", "x is not changed", untouched)
    yield advice()


def present(gradient: Array | None, what: str) -> Array:
    """The gradient; Mismatch where the result does not depend on the input."""
    expect(gradient is not None, f"there is no {what}: the result is not connected to its input")
    assert gradient is not None
    return gradient
