import tensorflow as tf


def log_probabilities(z):
    top = tf.reduce_max(z, axis=-1, keepdims=True)
    return z - top - tf.math.log(tf.reduce_sum(tf.math.exp(z - top), axis=-1, keepdims=True))


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    classes = logits.shape[-1]
    target = tf.one_hot(labels, classes, dtype=logits.dtype) * (1 - label_smoothing) + label_smoothing / classes
    log_p = log_probabilities(logits)
    # Where the target is zero, a log-probability of minus infinity must neither count nor meet the zero.
    terms = target * tf.where(target > 0, log_p, tf.zeros_like(log_p))
    each = -tf.reduce_sum(terms, axis=-1)
    if weights is None:
        weights = tf.ones(tf.shape(each), each.dtype)
    total = tf.reduce_sum(weights)
    mean = tf.reduce_sum(weights * each) / tf.where(total > 0, total, tf.ones_like(total))
    return mean
