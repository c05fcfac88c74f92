"""Checks hvp(f, xs, vs) on functions whose Hessians are known in closed form; references are numpy in float64."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from domain import Array, Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, kind, note, tensor, variable

Floats = npt.NDArray[np.float64]

CUBES = "def f(x):\n    return tf.reduce_sum(x ** 3)"

# f(x, y) = x'Ax + sum(w sin(y)) + (c'x) * sum(y²): curved in each input, and across them.
MIXED = """
def build(a, w, c):
    def f(x, y):
        curved = tf.tensordot(x, tf.linalg.matvec(a, x), 1) + tf.reduce_sum(w * tf.sin(y))
        return curved + tf.tensordot(c, x, 1) * tf.reduce_sum(y ** 2)
    return f
"""

# Each call takes the next slope, so that whoever calls f again gets the products of another function.
CHANGING = """
def build(slopes):
    coming = iter(slopes)

    @tf.autograph.experimental.do_not_convert
    def f(x):
        return tf.reduce_sum(tf.exp(next(coming) * x)) + tf.reduce_sum(x[:-1] * x[1:])

    return f
"""

GATHER = """
def build(rows, weight):
    def f(table):
        return tf.reduce_sum(weight * tf.gather(table, rows) ** 3)
    return f
"""

CAPTURED = """
def build(w):
    def f(x):
        return tf.reduce_sum(w ** 2 * x ** 3)
    return f
"""


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    hvp = box.get(box.load(), "hvp")

    def drawn(*shape: int) -> Floats:
        values = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        return np.asarray(np.asarray(values, dtype=np.float32), dtype=np.float64)

    def products(f: Handle, xs: Sequence[Value], vs: Sequence[Value]) -> list[Array]:
        got = box.call(hvp, f, list(xs), list(vs))
        if not isinstance(got, list | tuple) or len(got) != len(xs):
            raise Mismatch(f"the result should be a list with one tensor for each input, and is {kind(got)}")
        return [array(item, "an item of the result") for item in got]

    def agree(f: Handle, xs: Sequence[Value], vs: Sequence[Value], wanted: Sequence[Floats], dtype: str) -> None:
        for got, product in zip(products(f, xs, vs), wanted, strict=True):
            expect(got.role == "tensor", "a product should be a tensor")
            rtol = 1e-10 if dtype == "float64" else 1e-3
            expect_close(got, product, dtype=dtype, what="a product", rtol=rtol, atol=rtol)

    def mixed(dtype: str, kinds: str) -> None:
        n, m = int(rng.integers(2, 5)), int(rng.integers(2, 5))
        a, w, c = drawn(n, n), drawn(m), drawn(n)
        f = box.make(box.define(MIXED, "build"), *(tensor(item, dtype) for item in (a, w, c)))
        x, y, u, v = drawn(n), drawn(m), drawn(n), drawn(m)
        by_x = (a + a.T) @ u + c * (2 * y @ v)
        by_y = -w * np.sin(y) * v + 2 * (c @ x) * v + 2 * y * (c @ u)
        sent = [variable(i, dtype) if k == "v" else tensor(i, dtype) for i, k in zip((x, y), kinds, strict=True)]
        agree(f, sent, [tensor(u, dtype), tensor(v, dtype)], [by_x, by_y], dtype)

    def documented() -> None:
        note("f", "sum of x³")
        note("x", [1.0, 2.0])
        note("v", [1.0, 10.0])
        got = products(box.define(CUBES, "f"), [tensor([1.0, 2.0])], [tensor([1.0, 10.0])])
        expect_close(got[0], [6.0, 120.0], dtype="float32", what="the product")

    def quadratic() -> None:
        for n in (2, 5):
            a, x, v = drawn(n, n), drawn(n), drawn(n)
            source = "def build(a):\n    return lambda x: tf.reduce_sum(x * tf.linalg.matvec(a, x))"
            f = box.make(box.define(source, "build"), tensor(a))
            agree(f, [tensor(x)], [tensor(v)], [(a + a.T) @ v], "float32")

    def two_inputs() -> None:
        mixed("float32", "tt")

    def variables() -> None:
        for kinds in ("vv", "vt", "tv"):
            mixed("float32", kinds)

    def float64() -> None:
        mixed("float64", "tt")
        mixed("float64", "vt")

    def shapes() -> None:
        for shape in ((), (2, 3), (1,), (2, 1, 2), (0,)):
            x, v = drawn(*shape), drawn(*shape)
            agree(box.define(CUBES, "f"), [tensor(x)], [tensor(v)], [6 * x * v], "float32")

    def no_curvature() -> None:
        slope, x, v = float(drawn()), drawn(3), drawn(3)
        linear = box.define(f"def f(x):\n    return {slope!r} * tf.reduce_sum(x)", "f")
        agree(linear, [tensor(x)], [tensor(v)], [np.zeros(3)], "float32")
        agree(linear, [variable(x)], [tensor(v)], [np.zeros(3)], "float32")

    def not_used() -> None:
        x, y, u, v = drawn(3), drawn(2, 2), drawn(3), drawn(2, 2)
        f = box.define("def f(x, y):\n    return tf.reduce_sum(x ** 3)", "f")
        agree(f, [tensor(x), tensor(y)], [tensor(u), tensor(v)], [6 * x * u, np.zeros((2, 2))], "float32")

    def gathered() -> None:
        table, direction, weight = drawn(5, 2), drawn(5, 2), drawn(4, 2)
        rows = np.array([1, 3, 1, 4])
        f = box.make(box.define(GATHER, "build"), tensor(rows, "int64"), tensor(weight))
        wanted = np.zeros((5, 2))
        np.add.at(wanted, rows, 6 * weight * table[rows] * direction[rows])
        for sent in (variable(table), tensor(table)):
            agree(f, [sent], [tensor(direction)], [wanted], "float32")

    def captured() -> None:
        x, v, w = drawn(3), drawn(3), drawn(3)
        sent, weight = variable(x), variable(w)
        held, other = box.keep(sent), box.keep(weight)
        f = box.make(box.define(CAPTURED, "build"), other)
        agree(f, [held], [tensor(v)], [6 * w**2 * x * v], "float32")
        expect_unchanged(box, held, sent, "the variable")
        expect_unchanged(box, other, weight, "a variable inside f")

    def cost(size: int) -> None:
        x, v = drawn(size), drawn(size)
        slopes = rng.permutation(np.linspace(0.5, 1.0, 40)).tolist()
        slope, f = slopes[0], box.make(box.define(CHANGING, "build"), slopes)
        wanted = slope**2 * np.exp(slope * x) * v
        wanted[:-1] += v[1:]
        wanted[1:] += v[:-1]
        agree(f, [tensor(x)], [tensor(v)], [wanted], "float32")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("quadratic", "a quadratic form that couples the entries", quadratic)
    yield case("two-inputs", "two inputs that are coupled", two_inputs)
    yield case("variables", "variables, and variables next to tensors", variables)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("shapes", "inputs of other shapes, with one entry and with none", shapes)
    yield case("captured", "a variable inside f, and that nothing is changed", captured)
    yield case("no-curvature", "a linear function", no_curvature)
    yield case("not-used", "an input on which f does not depend", not_used)
    yield case("gathered", "rows looked up in a table", gathered)
    yield case("called-once", "a function that is another one at its second call", lambda: cost(6))
    yield case("large", "an input whose Hessian does not fit into memory", lambda: cost(400_000))
