# caught by: other-axes
# why: gamma and beta broadcast along the last axis, whatever is normalised
import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="viva")
class LayerNorm(keras.layers.Layer):
    """Mean 0 and variance 1 over the given axes, then gamma and beta."""

    def __init__(self, axis=-1, epsilon=1e-3, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.epsilon = epsilon

    def build(self, input_shape):
        rank = len(input_shape)
        wanted = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axes = sorted(axis % rank for axis in wanted)
        sizes = [input_shape[axis] for axis in self.axes]
        self.gamma = self.add_weight(name="gamma", shape=sizes, initializer="ones")
        self.beta = self.add_weight(name="beta", shape=sizes, initializer="zeros")
        self.spread = [input_shape[axis] if axis in self.axes else 1 for axis in range(rank)]

    def call(self, x):
        wide = tf.cast(x, tf.float64 if x.dtype == tf.float64 else tf.float32)  # half would overflow in the squares
        centred = wide - tf.reduce_mean(wide, self.axes, keepdims=True)
        variance = tf.reduce_mean(tf.square(centred), self.axes, keepdims=True)
        gamma = tf.cast(self.gamma, wide.dtype)
        beta = tf.cast(self.beta, wide.dtype)
        return tf.cast(centred * tf.math.rsqrt(variance + self.epsilon) * gamma + beta, x.dtype)

    def get_config(self):
        return {**super().get_config(), "axis": self.axis, "epsilon": self.epsilon}
