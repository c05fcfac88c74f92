"""Every method of a box, in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from domain import Array, Box, CandidateError, Case, Framework, Value
from sandbox.toolkit import (
    Mismatch,
    array,
    case,
    expect,
    expect_close,
    expect_unchanged,
    ndarray,
    numerical_gradient,
    tensor,
)


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """A case for each method or pair of methods."""
    module = box.load()
    x = rng.normal(size=(3, 2))

    def values() -> None:
        echo = box.get(module, "echo")
        samples: list[Value] = [None, True, 7, -3, 1 << 70, 0.5, "text é", b"bytes", [1, [2.0, "x"]], (1, 2)]
        mixed: dict[Value, Value] = {"a": [1], 2: None}
        for value in [*samples, mixed]:
            found = box.call(echo, value)
            expect(found == value and type(found) is type(value), f"{value!r} came back as {found!r}")
        nan = box.call(echo, float("nan"))
        expect(isinstance(nan, float) and np.isnan(nan), "NaN")

    yield case("values", "values cross and come back", values)

    def dtypes() -> None:
        echo = box.get(module, "echo")
        for dtype in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64"):
            for shape in ((), (0,), (2, 0, 3), (2, 3)):
                sent = tensor(rng.integers(0, 2, size=shape), dtype)
                found = array(box.call(echo, sent))
                expect(found.dtype == dtype and found.shape == shape, f"{dtype} {shape} came back as {found}")
                expect(np.array_equal(found.data, sent.data), f"{dtype} {shape} changed")
        found = array(box.call(echo, ndarray(np.arange(6).reshape(2, 3)[:, ::2])))
        expect(found.role == "ndarray" and found.data.tolist() == [[0, 2], [3, 5]], "ndarray")
        expect(array(box.call(box.get(module, "transposed"), tensor(x))).shape == (2, 3), "non-contiguous")

    yield case("dtypes", "every dtype and shape", dtypes)

    def objects() -> None:
        expect(box.has(module, "Net") and not box.has(module, "nothing"), "has")
        net = box.make(box.get(module, "Net"))
        weight = array(box.value(box.get(box.get(net, "layer"), "weight")))
        expect_close(box.call(net, tensor(x)), x @ weight.data.T.astype(np.float64), dtype="float32")
        box.method(net, "eval")
        expect(box.value(box.get(net, "training")) is False, "eval")
        expect(box.method(net, "greet", "you", loud=True) == "HELLO YOU", "method with a keyword")

    yield case("objects", "has, get, make, call, method, value", objects)

    def kept() -> None:
        handle = box.keep(tensor(x))
        box.call(box.get(module, "square"), handle)
        expect_unchanged(box, handle, tensor(x))
        box.call(box.get(module, "zero_in_place"), handle)
        try:
            expect_unchanged(box, handle, tensor(x))
        except Mismatch:
            return
        raise Mismatch("a change was not seen")

    yield case("kept", "keep and expect_unchanged", kept)

    def defined() -> None:
        cube = box.define("def cube(x):\n    return x ** 3 + torch.zeros(()) + np.float32(0)", "cube")
        expect_close(box.call(cube, tensor(x)), x**3, dtype="float32")

    yield case("defined", "define", defined)

    def gradients() -> None:
        function = box.get(module, "square")
        v, u = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
        found = box.vjp(function, [tensor(x, "float64")], [tensor(v, "float64")], [tensor(u, "float64")])
        expect_close(found.outputs[0], x**2, dtype="float64")
        expect_close(found.gradients[0], 2 * x * v)
        expect_close(found.second[0], 2 * v * u)
        numerical = numerical_gradient(box, function, [tensor(x, "float64")], v)
        expect(np.allclose(numerical[0], 2 * x * v, rtol=1e-4), "numerical gradient")
        unused = box.vjp(box.get(module, "first"), [tensor(x), tensor(x)], [tensor(v)])
        expect(unused.gradients[1] is None and unused.gradients[0] is not None, "an unused input")
        handle = box.keep(tensor(x, requires_grad=True))
        expect_close(box.vjp(function, [handle], [tensor(v)]).gradients[0], 2 * x * v)
        try:
            box.vjp(function, [tensor(x)], [tensor(v), tensor(v)])
        except CandidateError as error:
            expect("1 outputs" in error.message, error.message)

    yield case("gradients", "vjp and double backward", gradients)

    def steps() -> None:
        parameter = box.keep(tensor(x, requires_grad=True))
        optimizer = box.make(box.get(module, "sgd"), parameter)
        (after,) = box.step(optimizer, [parameter], [tensor(np.ones_like(x))])
        expect_close(after, x - 0.1)

    yield case("steps", "step", steps)

    def items() -> None:
        found = box.iterate(box.get(module, "endless"), 3)
        expect(found == [0, 1, 2], "an endless iterable")
        loader = box.make(box.get(module, "loader"))
        expect([array(item).shape for item in box.iterate(loader, 9)] == [(2,), (2,), (1,)], "a loader")

    yield case("items", "iterate", items)

    def errors() -> None:
        try:
            box.call(box.get(module, "fails"))
        except CandidateError as error:
            expect((error.type_name, error.message, error.line) == ("KeyError", "'x'", 46), f"{error} at {error.line}")
        else:
            raise Mismatch("no error came")

    yield case("errors", "an exception with its line", errors)

    def second_box() -> None:
        reference = box.another()
        cube = reference.define("def cube(x):\n    return torch.as_tensor(x).double() ** 3", "cube")
        expect_close(reference.call(cube, tensor(x, "float64")), x**3)
        again = box.another(load=True)
        expect_close(again.call(again.get(again.load(), "square"), tensor(x)), x**2)
        expect(again.framework is Framework.PYTORCH and again.device == "cpu", "framework and device")

    yield case("second box", "another", second_box)

    def files() -> None:
        box.write("in.bin", b"abc")
        box.call(box.get(module, "copy_file"), "in.bin", "out.bin")
        expect(box.read("out.bin") == b"abc" and box.read("out.bin", 2) == b"ab", "files")
        sent = Array(np.ones(2, dtype=np.float32), "float32")
        box.call(box.get(module, "save"), sent)
        other = box.another(load=True)
        other.write("saved.pt", box.read("saved.pt"))
        expect_close(other.call(other.get(other.load(), "restore")), np.ones(2))

    yield case("files", "write and read, save in one box and load in another", files)
