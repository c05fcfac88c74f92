# caught by: each-alone
# why: keeps a moving mean, as batch normalisation does
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
        self.mean = self.add_weight(name="mean", shape=(), initializer="zeros", trainable=False)
        self.spread = [input_shape[axis] if axis in self.axes else 1 for axis in range(rank)]

    def call(self, x):
        wide = tf.cast(x, tf.float64 if x.dtype == tf.float64 else tf.float32)  # half would overflow in the squares
        self.mean.assign(0.9 * self.mean + 0.1 * tf.cast(tf.reduce_mean(x), self.mean.dtype))
        centred = wide - 0.5 * tf.reduce_mean(wide, self.axes, keepdims=True) - 0.5 * tf.cast(self.mean, wide.dtype)
        variance = tf.reduce_mean(tf.square(centred), self.axes, keepdims=True)
        gamma = tf.cast(tf.reshape(self.gamma, self.spread), wide.dtype)
        beta = tf.cast(tf.reshape(self.beta, self.spread), wide.dtype)
        return tf.cast(centred * tf.math.rsqrt(variance + self.epsilon) * gamma + beta, x.dtype)

    def get_config(self):
        return {**super().get_config(), "axis": self.axis, "epsilon": self.epsilon}
