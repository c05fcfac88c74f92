# caught by: large-logits
# why: the exponential overflows, and the logarithm then sees NaN or 0
import tensorflow as tf


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    classes = logits.shape[-1]
    target = tf.one_hot(labels, classes, dtype=logits.dtype) * (1 - label_smoothing) + label_smoothing / classes
    p = tf.exp(logits) / tf.reduce_sum(tf.exp(logits), axis=-1, keepdims=True)
    losses = -tf.reduce_sum(target * tf.math.log(p), axis=-1)
    if weights is None:
        weights = tf.ones_like(losses)
    return tf.math.divide_no_nan(tf.reduce_sum(weights * losses), tf.reduce_sum(weights))
