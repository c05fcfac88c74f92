"""Every method of a box that TensorFlow answers differently."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from domain import Box, Case, Framework
from sandbox.toolkit import array, case, expect, expect_close, expect_unchanged, numerical_gradient, tensor, variable


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """A case for each method or pair of methods."""
    module = box.load()
    x = rng.normal(size=(3, 2))
    v, u = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))

    def dtypes() -> None:
        echo = box.get(module, "echo")
        for dtype in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64"):
            for shape in ((), (0,), (2, 3)):
                sent = tensor(rng.integers(0, 2, size=shape), dtype)
                found = array(box.call(echo, sent))
                expect(found.dtype == dtype and found.shape == shape, f"{dtype} {shape} came back as {found}")
                expect(np.array_equal(found.data, sent.data), f"{dtype} {shape} changed")
        found = array(box.call(echo, variable(x)))
        expect(found.role == "variable" and found.requires_grad, "a variable")

    yield case("dtypes", "every dtype and shape", dtypes)

    def kept() -> None:
        handle = box.keep(variable(x))
        box.call(box.get(module, "square"), handle)
        expect_unchanged(box, handle, variable(x))
        box.call(box.get(module, "assign_zero"), handle)
        expect_close(box.value(handle), np.zeros((3, 2)))

    yield case("kept", "keep and expect_unchanged", kept)

    def defined() -> None:
        cube = box.define("def cube(x):\n    return x ** 3 + tf.zeros(()) + keras.ops.zeros(())", "cube")
        expect_close(box.call(cube, tensor(x)), x**3, dtype="float32")

    yield case("defined", "define", defined)

    def gradients() -> None:
        function = box.get(module, "square")
        found = box.vjp(function, [tensor(x, "float64")], [tensor(v, "float64")], [tensor(u, "float64")])
        expect_close(found.outputs[0], x**2, dtype="float64")
        expect_close(found.gradients[0], 2 * x * v)
        expect_close(found.second[0], 2 * v * u)
        numerical = numerical_gradient(box, function, [tensor(x, "float64")], v)
        expect(np.allclose(numerical[0], 2 * x * v, rtol=1e-4), "numerical gradient")
        handle = box.keep(variable(x))
        expect_close(box.vjp(function, [handle], [tensor(v)]).gradients[0], 2 * x * v)

    yield case("gradients", "vjp and double backward", gradients)

    def unused() -> None:
        found = box.vjp(box.get(module, "first"), [tensor(x), tensor(x)], [tensor(v)])
        expect(found.gradients[1] is None, "an unused input")
        linear = box.vjp(box.get(module, "first"), [tensor(x), tensor(x)], [tensor(v)], [tensor(u), tensor(u)])
        expect(linear.second == (None, None), "no second derivative")
        rows = box.vjp(box.get(module, "gathered"), [tensor(x)], [tensor(v[:1])])
        expect_close(rows.gradients[0], np.concatenate([np.zeros((1, 2)), v[:1], np.zeros((1, 2))]))

    yield case("unused", "unused inputs and sparse gradients", unused)

    def steps() -> None:
        parameter = box.keep(variable(x))
        optimizer = box.make(box.get(module, "sgd"))
        (after,) = box.step(optimizer, [parameter], [tensor(np.ones_like(x))])
        expect_close(after, x - 0.1)

    yield case("steps", "step", steps)

    def models() -> None:
        model = box.make(box.get(module, "model"))
        weight, bias = box.iterate(box.get(model, "weights"), 2)
        expected = x @ array(weight).data.astype(np.float64) + array(bias).data.astype(np.float64)
        expect_close(box.call(model, tensor(x)), expected, dtype="float32")
        found = [array(item).data.tolist() for item in box.iterate(box.make(box.get(module, "data")), 9)]
        expect(found == [[0, 1], [2, 3], [4]], "a dataset")

    yield case("models", "keras models and datasets", models)

    def second_box() -> None:
        reference = box.another()
        cube = reference.define("def cube(x):\n    return tf.cast(x, tf.float64) ** 3", "cube")
        expect_close(reference.call(cube, tensor(x, "float64")), x**3)
        expect(reference.framework is Framework.TENSORFLOW, "framework")

    yield case("second box", "another", second_box)

    def files() -> None:
        model = box.make(box.get(module, "model"))
        before = box.call(model, tensor(x))
        box.call(box.get(module, "save"), model)
        other = box.another(load=True)
        other.write("m.keras", box.read("m.keras"))
        restored = other.make(other.get(other.load(), "restore"))
        expect_close(other.call(restored, tensor(x)), array(before).data)

    yield case("files", "save in one box and load in another", files)
