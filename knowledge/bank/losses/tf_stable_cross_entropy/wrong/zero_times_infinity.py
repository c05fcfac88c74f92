# caught by: ruled-out
# why: 0 times minus infinity is NaN, where a class is ruled out
import tensorflow as tf


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    classes = logits.shape[-1]
    target = tf.one_hot(labels, classes, dtype=logits.dtype) * (1 - label_smoothing) + label_smoothing / classes
    z = logits - tf.reduce_max(logits, axis=-1, keepdims=True)
    log_p = z - tf.math.log(tf.reduce_sum(tf.exp(z), axis=-1, keepdims=True))
    losses = -tf.reduce_sum(target * log_p, axis=-1)
    if weights is None:
        weights = tf.ones_like(losses)
    return tf.math.divide_no_nan(tf.reduce_sum(weights * losses), tf.reduce_sum(weights))
