import keras
import tensorflow as tf
from keras import layers, ops


class LayerNorm(layers.Layer):
    def __init__(self, axis=-1, epsilon=0.001, **options):
        layers.Layer.__init__(self, **options)
        self.axis, self.epsilon = axis, epsilon

    def positive(self, rank):
        axes = self.axis if isinstance(self.axis, (list, tuple)) else (self.axis,)
        return tuple(axis + rank if axis < 0 else axis for axis in axes)

    def build(self, shape):
        sizes = tuple(size for axis, size in enumerate(shape) if axis in self.positive(len(shape)))
        self.gamma = self.add_weight(shape=sizes, initializer=keras.initializers.Ones(), name="gamma")
        self.beta = self.add_weight(shape=sizes, initializer=keras.initializers.Zeros(), name="beta")

    def call(self, inputs):
        axes = self.positive(len(inputs.shape))
        x = ops.cast(inputs, "float64" if self.compute_dtype == "float64" else "float32")
        mean, variance = tf.nn.moments(x, axes, keepdims=True)
        scale, shift = ops.cast(self.gamma, x.dtype), ops.cast(self.beta, x.dtype)
        for axis in range(len(inputs.shape)):
            if axis not in axes:
                scale, shift = ops.expand_dims(scale, axis), ops.expand_dims(shift, axis)
        return ops.cast((x - mean) / ops.sqrt(variance + self.epsilon) * scale + shift, inputs.dtype)

    def get_config(self):
        config = super().get_config()
        config.update(axis=self.axis, epsilon=self.epsilon)
        return config
