"""TensorFlow in a box: tensors and variables in and out, vector-Jacobian products by tapes, optimizer steps."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

DTYPES = "float64 float32 float16 bfloat16 complex64 complex128 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64"


class Adapter:
    """What the stub asks of a framework."""

    def __init__(self, gpu: int, rare: bool = False) -> None:
        import keras
        import tensorflow as tf

        self.tf, self.keras = tf, keras
        self.gpu = gpu
        self.device = "cpu"
        self.known = set(DTYPES.split())
        self._touch()
        if rare:
            from tensorflow.python.data import ops

            for module in pkgutil.iter_modules(ops.__path__):
                importlib.import_module(f"{ops.__name__}.{module.name}")

    def _touch(self) -> None:
        """Resolve the lazily imported parts, without running any of them."""
        for path in ("GradientTape", "Variable", "constant", "function", "data.Dataset", "math.sigmoid", "nn.softmax"):
            item: Any = self.tf
            for name in path.split("."):
                item = getattr(item, name)
        for module in (self.keras.layers, self.keras.optimizers, self.keras.losses, self.keras.metrics):
            dir(module)

    def versions(self) -> dict[str, str]:
        """The framework's version."""
        return {"tensorflow": str(self.tf.__version__), "keras": str(self.keras.__version__)}

    def names(self) -> dict[str, Any]:
        """What the check's own source finds in its namespace."""
        return {"tf": self.tf, "keras": self.keras}

    def warm(self) -> None:
        """Start the runtime (its threads belong to this box) and do each kind of thing once."""
        tf = self.tf
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        if self.gpu and tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(tf.config.list_physical_devices("GPU")[0], True)
            self.device = "cuda:0"
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as outer, tf.GradientTape() as inner:
            y = tf.reduce_sum(x * x * x)
        g = inner.gradient(y, x)
        del g, outer
        self.vjp(lambda v: v * v, [tf.constant([1.0])], [True], [tf.constant([1.0])], [tf.constant([1.0])])
        x.assign_sub([0.1, 0.1])
        optimizer = self.keras.optimizers.SGD(0.1)
        optimizer.apply_gradients([(tf.constant([0.1, 0.1]), x)])
        self.encode(x)
        self.decode(np.ones(2, dtype=np.float32), "float32", "variable", True)

    def encode(self, item: Any) -> tuple[Any, str, str, bool, str] | None:
        """(numbers, dtype, role, trainable, device) of an eager tensor or variable; None for all else."""
        tf = self.tf
        if isinstance(item, tf.IndexedSlices):
            item = tf.convert_to_tensor(item)
        role = "tensor"
        trainable = False
        if isinstance(item, tf.Variable | self.keras.Variable):
            role, trainable = "variable", bool(item.trainable)
        elif not isinstance(item, tf.Tensor) or not hasattr(item, "numpy"):
            return None
        dtype = item.dtype if isinstance(item.dtype, str) else item.dtype.name
        if dtype not in self.known:
            return None
        data = np.asarray(item.numpy())
        if dtype == "bfloat16":
            data = data.astype(np.float32)
        where = str(getattr(getattr(item, "value", item), "device", ""))
        return data, dtype, role, trainable, "cuda:0" if "GPU" in where else "cpu"

    def decode(self, data: Any, dtype: str, role: str, _requires_grad: bool) -> Any:
        """A tensor, or a tf.Variable."""
        tf = self.tf
        item = tf.cast(tf.constant(data), dtype)
        return tf.Variable(item) if role == "variable" else item

    def vjp(
        self,
        function: Callable[..., Any],
        inputs: list[Any],
        _owned: Sequence[bool],
        cotangents: list[Any],
        second: list[Any] | None,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """(outputs, gradients, double backward), by one tape inside another."""
        tf = self.tf
        with tf.GradientTape() as outer:
            self._watch(outer, inputs)
            with tf.GradientTape() as inner:
                self._watch(inner, inputs)
                result = function(*inputs)
            outputs = list(result) if isinstance(result, tuple | list) else [result]
            if len(outputs) != len(cotangents):
                raise ValueError(f"the function returned {len(outputs)} outputs, not {len(cotangents)}")
            for output, cotangent in zip(outputs, cotangents, strict=True):
                if not isinstance(output, tf.Tensor | tf.Variable | self.keras.Variable):
                    raise TypeError(f"the function returned {type(output).__name__}, not a tensor")
                if output.shape != cotangent.shape:
                    raise ValueError(f"the function returned a tensor of shape {tuple(output.shape)}")
            weights = [tf.cast(c, o.dtype) for c, o in zip(cotangents, outputs, strict=True)]
            gradients = [self._dense(g) for g in inner.gradient(outputs, inputs, output_gradients=weights)]
        double: list[Any] = []
        if second is not None:
            pairs = [(g, v) for g, v in zip(gradients, second, strict=True) if g is not None]
            if pairs:
                weights = [tf.cast(v, g.dtype) for g, v in pairs]
                found = outer.gradient([g for g, _ in pairs], inputs, output_gradients=weights)
                double = [self._dense(g) for g in found]
            else:
                double = [None] * len(inputs)
        return outputs, gradients, double

    def _watch(self, tape: Any, inputs: list[Any]) -> None:
        for item in inputs:
            dtype = self.tf.as_dtype(item.dtype)
            if dtype.is_floating or dtype.is_complex:
                tape.watch(item)

    def _dense(self, gradient: Any) -> Any:
        return self.tf.convert_to_tensor(gradient) if gradient is not None else None

    def step(self, optimizer: Any, parameters: list[Any], gradients: list[Any]) -> None:
        """Apply the gradients once."""
        optimizer.apply_gradients(list(zip(gradients, parameters, strict=True)))
