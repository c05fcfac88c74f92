# caught by: large-logits
# why: clipping the probability bounds the loss at 16 and its gradient at zero
import tensorflow as tf


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    classes = logits.shape[-1]
    target = tf.one_hot(labels, classes, dtype=logits.dtype) * (1 - label_smoothing) + label_smoothing / classes
    e = tf.exp(logits - tf.reduce_max(logits, axis=-1, keepdims=True))
    p = tf.clip_by_value(e / tf.reduce_sum(e, axis=-1, keepdims=True), 1e-7, 1.0)
    losses = -tf.reduce_sum(target * tf.math.log(p), axis=-1)
    if weights is None:
        weights = tf.ones_like(losses)
    return tf.math.divide_no_nan(tf.reduce_sum(weights * losses), tf.reduce_sum(weights))
