# caught by: in-a-graph
# why: loops over the samples, whose number is not known in a graph
import keras
import tensorflow as tf


class EverySecond(keras.layers.Layer):
    """The time steps 0, 2, 4 and so on, with their mask."""

    def call(self, x):
        return x[:, ::2]

    def compute_mask(self, x, mask=None):
        return None if mask is None else mask[:, ::2]


class MaskedMean(keras.layers.Layer):
    """The mean over the time steps that count; zeros where none does."""

    def call(self, x, mask=None):
        wide = tf.cast(x, tf.float64 if x.dtype == tf.float64 else tf.float32)  # a long sum overflows in half
        if mask is None:
            mask = tf.ones(tf.shape(x)[:2], dtype=tf.bool)
        seen = mask[:, :, None]
        rows = [tf.reduce_mean(wide[i][mask[i]], axis=0) for i in range(x.shape[0])]
        return tf.cast(tf.stack(rows), x.dtype)

    def compute_mask(self, x, mask=None):
        return None  # there is no time axis any more
