"""Checks the layer Residual(inner, scale): its values, and that it survives a file and another process.

A model with the layer is saved in one box; its file is carried over to a second box, which loads the submission anew
and reads the model without being told of any custom object. References are numpy in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from domain import Box, Case, Handle, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, ndarray, note, tensor

Floats = npt.NDArray[np.float64]

HELP = """
import json
import os


class Help:
    def dense(self, units, activation):
        return keras.layers.Dense(units, activation=activation, bias_initializer="ones")

    def model(self, layer, width):
        inputs = keras.Input((width,))
        return keras.Model(inputs, layer(inputs))

    def normalisation(self, epsilon):
        return keras.layers.LayerNormalization(epsilon=epsilon)

    def save(self, model, name):
        model.save(os.path.join(os.environ["HOME"], name))

    def load(self, name):
        return keras.models.load_model(os.path.join(os.environ["HOME"], name))

    def again(self, layer):
        text = json.dumps(keras.saving.serialize_keras_object(layer))
        return keras.saving.deserialize_keras_object(json.loads(text))

    def inner(self, layer):
        inner = layer.inner
        return type(inner).__name__, inner.units, keras.activations.serialize(inner.activation)

    def build(self, layer, width):
        layer.build((None, width))
        return sorted(tuple(w.shape) for w in layer.trainable_weights)

    def traits(self, layer):
        return layer.name, bool(layer.trainable), layer.dtype_policy.name

    def scalars(self, layer):
        return [float(keras.ops.convert_to_numpy(w)) for w in layer.trainable_weights if tuple(w.shape) == ()]

    def assign(self, layer, value):
        for w in layer.trainable_weights:
            if tuple(w.shape) == ():
                w.assign(value)

    def gradient(self, layer, x, cotangent):
        (s,) = [w for w in layer.trainable_weights if tuple(w.shape) == ()]
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(layer(x) * cotangent)
        return tape.gradient(total, [s.value, layer.inner.kernel.value])
"""


class Weights(NamedTuple):
    """Of a Dense layer: kernel (width, width) and bias (width,); and the scale in front of it."""

    kernel: Floats
    bias: Floats
    scale: float

    def branch(self, x: Floats) -> Floats:
        """What the inner layer gives: tanh(x W + b)."""
        return np.asarray(np.tanh(x @ self.kernel + self.bias))

    def residual(self, x: Floats) -> Floats:
        """What the layer gives."""
        return np.asarray(x + self.scale * self.branch(x))


class Lab:
    """A box with the submission in it, and the helpers."""

    def __init__(self, box: Box, rng: np.random.Generator) -> None:
        self.box, self.rng = box, rng
        self.residual = box.get(box.load(), "Residual")
        self.help = box.make(box.define(HELP, "Help"))

    def do(self, name: str, *args: Value) -> Value:
        """Call a helper and bring the result out."""
        return self.box.method(self.help, name, *args)

    def make(self, name: str, *args: Value) -> Handle:
        """Call a helper and keep the result."""
        return self.box.make(self.box.get(self.help, name), *args)

    def layer(self, inner: Handle, **options: Value) -> Handle:
        """A Residual around `inner`."""
        return self.box.make(self.residual, inner, **options)

    def drawn(self, width: int) -> Weights:
        """Random weights, exact in float32."""
        scale = float(np.float32(self.rng.uniform(0.6, 2.0)))
        kernel, bias = self.rng.uniform(-1, 1, (width, width)), self.rng.uniform(-1, 1, width)
        return Weights(kernel.astype(np.float32).astype(float), bias.astype(np.float32).astype(float), scale)

    def filled(self, weights: Weights, inner: Handle, layer: Handle) -> Handle:
        """A model of that one layer, built, with these weights and this scale."""
        model = self.make("model", layer, len(weights.bias))
        self.box.method(inner, "set_weights", [ndarray(weights.kernel, "float32"), ndarray(weights.bias, "float32")])
        self.do("assign", layer, weights.scale)
        return model

    def carried(self, model: Handle) -> tuple[Lab, Handle]:
        """The model saved here and loaded in another box."""
        name = f"model{self.rng.integers(1, 99999)}.keras"
        self.do("save", model, name)
        data = self.box.read(name)
        other = Lab(self.box.another(load=True), self.rng)
        other.box.write(name, data)
        return other, other.make("load", name)


def only(values: Value, what: str) -> float:
    """The one number of a list; else Mismatch."""
    if not isinstance(values, list) or len(values) != 1 or not isinstance(values[0], float):
        raise Mismatch(f"the layer should have one trainable weight without dimensions, {what}")
    return values[0]


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    lab = Lab(box, rng)

    def inputs(width: int) -> Floats:
        return rng.uniform(-2.0, 2.0, (4, width)).astype(np.float32).astype(float)

    def documented() -> None:
        x = np.array([[1.0, 2.0]])
        note("x", x)
        source = "def inner():\n    return keras.layers.Dense(2, use_bias=False, kernel_initializer='ones')"
        layer = lab.layer(box.make(box.define(source, "inner")), scale=0.5)
        expect_close(box.call(layer, tensor(x)), [[2.5, 3.5]], dtype="float32", what="the output")

    def forward() -> None:
        for width in (1, 3, 5):
            weights, x = lab.drawn(width), inputs(width)
            inner = lab.make("dense", width, "tanh")
            model = lab.filled(weights, inner, lab.layer(inner, scale=0.3))
            expect_close(box.call(model, tensor(x)), weights.residual(x), dtype="float32", what="the output")

    def start() -> None:
        scale = float(rng.uniform(0.3, 3.0))
        for options, wanted in (({"scale": scale}, scale), ({}, 0.1)):
            layer = lab.layer(lab.make("dense", 3, "tanh"), **options)
            lab.make("model", layer, 3)
            expect_close(only(lab.do("scalars", layer), "the scale"), wanted, what="the scale of a new layer")

    def built_first() -> None:
        weights, x = lab.drawn(3), inputs(3)
        inner = lab.make("dense", 3, "tanh")
        layer = lab.layer(inner)
        shapes = lab.do("build", layer, 3)
        expect(shapes == [(), (3,), (3, 3)], "after build there should be the scale and the weights of the inner layer")
        lab.filled(weights, inner, layer)
        expect_close(box.call(layer, tensor(x)), weights.residual(x), dtype="float32", what="the output after build")

    def gradient() -> None:
        weights, x = lab.drawn(3), inputs(3)
        inner = lab.make("dense", 3, "tanh")
        layer = lab.layer(inner)
        lab.filled(weights, inner, layer)
        cotangent = rng.uniform(0.5, 2.0, (4, 3))
        found = lab.do("gradient", layer, tensor(x), tensor(cotangent))
        by_scale, by_kernel = found if isinstance(found, list) and len(found) == 2 else (None, None)
        branch = weights.branch(x)
        what, slope = "the gradient with respect to the scale", (cotangent * branch).sum()
        expect_close(by_scale, slope, dtype="float32", what=what, rtol=1e-3)
        wanted = x.T @ (cotangent * weights.scale * (1 - branch**2))
        what = "the gradient with respect to the inner kernel"
        expect_close(by_kernel, wanted, dtype="float32", what=what, rtol=1e-3)

    def configuration() -> None:
        units, scale = int(rng.integers(2, 7)), float(rng.uniform(0.3, 3.0))
        activation = str(rng.choice(["tanh", "relu", "sigmoid"]))
        layer = lab.layer(lab.make("dense", units, activation), scale=scale)
        fresh = lab.make("again", layer)
        got = lab.do("inner", fresh)
        expect(got == ("Dense", units, activation), "the inner layer of the rebuilt layer is not what it was")
        lab.make("model", fresh, units)
        expect_close(only(lab.do("scalars", fresh), "the scale"), scale, what="the scale of the rebuilt layer")

    def base_options() -> None:
        name = f"residual_{rng.integers(100, 999)}"
        layer = lab.layer(lab.make("dense", 3, "relu"), name=name, trainable=False, dtype="float64")
        traits = lab.do("traits", lab.make("again", layer))
        expect(traits == (name, False, "float64"), "name, trainable or dtype of the rebuilt layer is not what it was")

    def saved() -> None:
        weights, x = lab.drawn(4), inputs(4)
        inner = lab.make("dense", 4, "tanh")
        model = lab.filled(weights, inner, lab.layer(inner, scale=0.3))
        other, loaded = lab.carried(model)
        got = array(other.box.call(loaded, tensor(x)), "the output of the loaded model")
        expect_close(got, weights.residual(x), dtype="float32", what="the output of the loaded model")

    def nested() -> None:
        weights, x, epsilon = lab.drawn(3), inputs(3), float(rng.uniform(0.3, 0.9))
        inner = lab.make("dense", 3, "tanh")
        first = lab.layer(inner, scale=0.3)
        lab.filled(weights, inner, first)
        outer = lab.layer(first, scale=0.7)
        around = lab.layer(lab.make("normalisation", epsilon), scale=0.2)
        y = x + 0.7 * weights.residual(x)
        other, loaded = lab.carried(lab.make("model", outer, 3))
        got = other.box.call(loaded, tensor(x))
        expect_close(got, y, dtype="float32", what="the output of a loaded layer inside a layer")
        z = x + 0.2 * (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + epsilon)
        other, loaded = lab.carried(lab.make("model", around, 3))
        got = other.box.call(loaded, tensor(x))
        expect_close(got, z, dtype="float32", what="the output with another kind of inner layer")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("forward", "the output with other weights and widths", forward)
    yield case("start", "the scale of a new layer", start)
    yield case("built-first", "a layer that is built before it is called", built_first)
    yield case("gradient", "the scale and the inner layer are trained", gradient)
    yield case("configuration", "the layer rebuilt from its configuration", configuration)
    yield case("base-options", "name, trainable and dtype of the rebuilt layer", base_options)
    yield case("saved", "a model saved, and loaded in another process", saved)
    yield case("nested", "other inner layers, saved and loaded", nested)
