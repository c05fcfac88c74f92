"""LayerNorm(axis, epsilon), a Keras layer, against numpy in float64, gradients included.

Keras's own normalisations are switched off: that keeps honest work honest, and is no security boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, case, expect, expect_close, kind, note, tensor

Floats = npt.NDArray[np.float64]
Axis = int | list[int]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("Keras's own normalisation is switched off: do the arithmetic yourself")
    for holder in (keras.ops, keras.ops.nn, keras.src.ops, keras.src.ops.nn):
        for name in ("layer_normalization", "rms_normalization", "batch_normalization", "normalize"):
            setattr(holder, name, refuse)
    for name in ("LayerNormalization", "RMSNormalization", "GroupNormalization", "BatchNormalization"):
        setattr(keras.layers, name, refuse)
"""

LAB = """
class Lab:
    def __init__(self, kind, shape, options, values=None):
        self.layer = kind(**options)
        self.layer.build(tuple(shape))
        if values is not None:
            self.layer.gamma.assign(values[0])
            self.layer.beta.assign(values[1])

    def weights(self):
        layer = self.layer
        trained = [tuple(item.shape) for item in layer.trainable_variables]
        return [tf.convert_to_tensor(layer.gamma), tf.convert_to_tensor(layer.beta), trained, len(layer.variables)]

    def rebuilt(self):
        return type(self.layer).from_config(self.layer.get_config())

    def options(self):  # of a layer like this one, which comes from its configuration
        return {"layer": self.rebuilt()}

    def apply(self, x, **more):
        return self.layer(x, **more)

    def gradients(self, x, upstream):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.layer(x)
        gamma, beta = self.layer.gamma.value, self.layer.beta.value
        return tape.gradient(y, [x, gamma, beta], output_gradients=upstream)

    def modelled(self, shape, x):
        inputs = keras.Input(tuple(shape))
        return keras.Model(inputs, self.layer(inputs))(x)

    def traced(self, x):
        free = tf.TensorSpec([None] * (len(x.shape) - 1) + [x.shape[-1]], x.dtype)
        return tf.function(lambda item: self.layer(item), input_signature=[free])(x)


def again(kind):  # builds the rebuilt layer instead of a new one
    return lambda layer: layer
"""


class Norm(NamedTuple):
    """What a layer computes: its axes (not negative, sorted), epsilon, gamma and beta, shaped for broadcasting."""

    axes: tuple[int, ...]
    epsilon: float
    gamma: Floats
    beta: Floats

    def normal(self, x: Floats) -> tuple[Floats, Floats]:
        """The normalised input, and the factor that it was multiplied by."""
        centred = x - x.mean(self.axes, keepdims=True)
        factor = 1 / np.sqrt((centred**2).mean(self.axes, keepdims=True) + self.epsilon)
        return np.asarray(centred * factor), np.asarray(factor)

    def output(self, x: Floats) -> Floats:
        """Of x, in float64."""
        return np.asarray(self.normal(x)[0] * self.gamma + self.beta)

    def gradients(self, x: Floats, upstream: Floats) -> list[Floats]:
        """With respect to x, gamma and beta."""
        normal, factor = self.normal(x)
        others = tuple(axis for axis in range(x.ndim) if axis not in self.axes)
        pulled = upstream * self.gamma
        mixed = normal * (pulled * normal).mean(self.axes, keepdims=True)
        by_x = factor * (pulled - pulled.mean(self.axes, keepdims=True) - mixed)
        return [np.asarray(item) for item in (by_x, (upstream * normal).sum(others), upstream.sum(others))]


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    layer_kind = box.get(box.load(), "LayerNorm")
    lab_kind = box.define(LAB, "Lab")

    def drawn(*shape: int, shift: float = 0.0, scale: float = 1.0) -> Floats:
        """Numbers exact in float32."""
        return np.asarray((shift + scale * rng.normal(size=shape)).astype(np.float32), dtype=np.float64)

    def made(shape: tuple[int, ...], axis: Axis | None = None, **options: Value) -> tuple[Norm, Handle]:
        """A layer with gamma and beta of its own (exact in float16), built for `shape`, and what it computes."""
        chosen = [-1] if axis is None else [axis] if isinstance(axis, int) else axis
        axes = tuple(sorted(item % len(shape) for item in chosen))
        sizes = [shape[item] for item in axes]
        gamma, beta = (np.round(drawn(*sizes, shift=shift) * 64) / 64 for shift in (1.5, 0.0))
        spread = [size if item in axes else 1 for item, size in enumerate(shape)]
        given: dict[Value, Value] = dict(options.items())
        if axis is not None:
            given["axis"] = list(axis) if isinstance(axis, list) else axis
        dtype = "float64" if options.get("dtype") == "float64" else "float32"
        held = box.make(lab_kind, layer_kind, list(shape), given, [tensor(gamma, dtype), tensor(beta, dtype)])
        epsilon = options.get("epsilon", 1e-3)
        assert isinstance(epsilon, float)
        return Norm(axes, epsilon, gamma.reshape(spread), beta.reshape(spread)), held

    def compare(norm: Norm, lab: Handle, x: Floats, dtype: str = "float32", **tolerance: float) -> None:
        got = box.method(lab, "apply", tensor(x, dtype))
        expect_close(got, norm.output(x), dtype=dtype, what="the output", **tolerance)

    def documented() -> None:
        note("x", [1.0, 3.0])
        note("epsilon", 1.0)
        lab = box.make(lab_kind, layer_kind, [1, 2], {"epsilon": 1.0})
        got = box.method(lab, "apply", tensor([[1.0, 3.0]]))
        expect_close(got, np.array([[-(0.5**0.5), 0.5**0.5]]), dtype="float32", what="the output")

    def start() -> None:
        cases: list[tuple[list[Value], Value, tuple[int, ...]]] = [
            ([None, 5], -1, (5,)), ([None, 3, 4], 1, (3,)), ([2, 3, 4], [1, 2], (3, 4))
        ]  # fmt: skip
        for shape, axis, sizes in cases:
            options: dict[Value, Value] = {"axis": axis}
            found = box.method(box.make(lab_kind, layer_kind, shape, options), "weights")
            if not isinstance(found, list | tuple) or len(found) != 4:
                raise Mismatch(f"gamma and beta are {kind(found)}")
            expect_close(found[0], np.ones(sizes), dtype="float32", what="gamma at the start")
            expect_close(found[1], np.zeros(sizes), dtype="float32", what="beta at the start")
            expect(list(found[2]) == [sizes, sizes], "gamma and beta should be trained, in this order")  # type: ignore[arg-type]
            expect(found[3] == 2, "the layer has other variables than gamma and beta")

    def last_axis() -> None:
        for shape in ((6, 5), (2, 3, 8), (1, 2, 2, 4)):
            norm, lab = made(shape)
            compare(norm, lab, drawn(*shape, shift=0.7, scale=1.6))

    def other_axes() -> None:
        cases: list[tuple[tuple[int, ...], Axis]] = [
            ((4, 3), 1), ((2, 3, 5), 1), ((2, 3, 5), -2), ((2, 3, 4), [1, 2]), ((2, 3, 4), [-2, -1]),
            ((2, 3, 2, 4), [1, 3]), ((3, 2, 5), [-1]),
        ]  # fmt: skip
        for shape, axis in cases:
            norm, lab = made(shape, axis)
            compare(norm, lab, drawn(*shape, shift=0.5, scale=2.0))

    def epsilon() -> None:
        norm, lab = made((4, 6))
        compare(norm, lab, drawn(4, 6, scale=0.03))
        norm, lab = made((4, 6), epsilon=float(rng.uniform(0.3, 0.9)))
        compare(norm, lab, drawn(4, 6))

    def each_alone() -> None:
        norm, lab = made((4, 6))
        x = drawn(4, 6, shift=0.3)
        for _ in range(3):
            box.method(lab, "apply", tensor(drawn(4, 6, shift=5.0, scale=3.0)))
        compare(norm, lab, x)
        for row in range(4):
            compare(norm, lab, x[row : row + 1])

    def constant_rows() -> None:
        norm, lab = made((3, 4), dtype="float64")
        x = drawn(3, 4)
        x[0], x[1] = 0.0, float(rng.integers(2, 9))
        compare(norm, lab, x, "float64")
        compare_gradients(norm, lab, x)

    def large_mean() -> None:
        norm, lab = made((5, 16))
        compare(norm, lab, drawn(5, 16, shift=3000.0), atol=2e-2)

    def compare_gradients(norm: Norm, lab: Handle, x: Floats) -> None:
        upstream = rng.normal(size=x.shape)
        found = box.method(lab, "gradients", tensor(x, "float64"), tensor(upstream, "float64"))
        if not isinstance(found, list | tuple) or len(found) != 3:
            raise Mismatch(f"the gradients are {kind(found)}")
        for name, got, wanted in zip(("x", "gamma", "beta"), found, norm.gradients(x, upstream), strict=True):
            expect(got is not None, f"the output does not depend on {name} as far as the tape can tell")
            expect_close(got, wanted, dtype="float64", what=f"the gradient with respect to {name}")

    def gradients() -> None:
        for shape, axis in (((4, 5), -1), ((2, 3, 4), 1), ((2, 2, 3), [1, 2])):
            norm, lab = made(shape, axis, dtype="float64")
            compare_gradients(norm, lab, drawn(*shape, shift=0.6))

    def half() -> None:
        for scale in (1.0, 1500.0, 0.03):
            norm, lab = made((8, 64), dtype="mixed_float16")
            x = drawn(8, 64, shift=0.4 * scale, scale=scale).astype(np.float16).astype(np.float64)
            compare(norm, lab, x, "float16", rtol=1.1 * 2.0**-11, atol=2e-5)

    def float64() -> None:
        norm, lab = made((4, 5), dtype="float64")
        compare(norm, lab, drawn(4, 5, shift=1.0), "float64", rtol=1e-10)

    def in_a_model() -> None:
        norm, lab = made((2, 7, 5))
        x = drawn(2, 7, 5)
        shapes: list[Value] = [[None, 5], [7, 5]]
        for shape in shapes:
            got = box.method(lab, "modelled", shape, tensor(x))
            expect_close(got, norm.output(x), dtype="float32", what="the output in a model")
        got = box.method(lab, "traced", tensor(x))
        expect_close(got, norm.output(x), dtype="float32", what="the output in tf.function")
        for empty in ((0, 7, 5), (2, 0, 5)):
            compare(norm, lab, drawn(*empty))

    def configuration() -> None:
        shape = (2, 3, 4)
        axes: list[Axis] = [1, [1, 2]]
        for axis in axes:
            epsilon = float(rng.uniform(0.3, 0.9))
            norm, lab = made(shape, axis, epsilon=epsilon, dtype="float64", name="mine")
            values: list[Value] = [tensor(item.reshape([shape[a] for a in norm.axes]), "float64") for item in norm[2:]]
            again = box.make(box.define(LAB, "again"), layer_kind)
            fresh = box.make(lab_kind, again, list(shape), box.method(lab, "options"), values)
            compare(norm, fresh, drawn(*shape), "float64")
            name = box.value(box.get(box.get(fresh, "layer"), "name"))
            expect(name == "mine", "the name is lost in the configuration")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("weights", "gamma and beta: their shape, order and start", start)
    yield case("last-axis", "normalising over the last axis", last_axis)
    yield case("other-axes", "another axis, and several", other_axes)
    yield case("epsilon", "where epsilon counts: its default, another one, and its place", epsilon)
    yield case("each-alone", "each sample counts alone, and nothing is kept between calls", each_alone)
    yield case("constant-rows", "samples without any spread, and their gradients", constant_rows)
    yield case("large-mean", "a mean that is much larger than the spread", large_mean)
    yield case("gradients", "the gradients with respect to input, gamma and beta", gradients)
    yield case("half", "the policy mixed_float16", half)
    yield case("float64", "dtype and precision in float64", float64)
    yield case("in-a-model", "unknown sizes, in a model and in tf.function, and empty inputs", in_a_model)
    yield case("configuration", "a layer that is rebuilt from its configuration", configuration)
