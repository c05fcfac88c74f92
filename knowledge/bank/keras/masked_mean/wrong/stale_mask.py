# caught by: mask-passes
# why: passes on the mask as it was, which is too long
import keras
import tensorflow as tf


class EverySecond(keras.layers.Layer):
    """The time steps 0, 2, 4 and so on, with their mask."""

    def call(self, x):
        return x[:, ::2]

    def compute_mask(self, x, mask=None):
        return mask


class MaskedMean(keras.layers.Layer):
    """The mean over the time steps that count; zeros where none does."""

    def call(self, x, mask=None):
        wide = tf.cast(x, tf.float64 if x.dtype == tf.float64 else tf.float32)  # a long sum overflows in half
        if mask is None:
            mask = tf.ones(tf.shape(x)[:2], dtype=tf.bool)
        seen = mask[:, :, None]
        total = tf.reduce_sum(tf.where(seen, wide, tf.zeros_like(wide)), axis=1)  # 0 * NaN would still be NaN
        count = tf.reduce_sum(tf.cast(seen, wide.dtype), axis=1)
        return tf.cast(total / tf.maximum(count, 1), x.dtype)

    def compute_mask(self, x, mask=None):
        return None  # there is no time axis any more
