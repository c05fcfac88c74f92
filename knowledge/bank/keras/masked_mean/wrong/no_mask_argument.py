# caught by: from-embedding
# why: call has no mask argument, so the mask never arrives
import keras
import tensorflow as tf


class EverySecond(keras.layers.Layer):
    def call(self, x):
        return x[:, ::2]

    def compute_mask(self, x, mask=None):
        return None if mask is None else mask[:, ::2]


class MaskedMean(keras.layers.Layer):
    def call(self, x):
        return tf.reduce_mean(x, axis=1)
