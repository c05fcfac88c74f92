# caught by: nothing-to-count
# why: without a sample, or with weights of zero, it divides 0 by 0
import tensorflow as tf


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    classes = logits.shape[-1]
    target = tf.one_hot(labels, classes, dtype=logits.dtype) * (1 - label_smoothing) + label_smoothing / classes
    z = logits - tf.reduce_max(logits, axis=-1, keepdims=True)
    log_p = z - tf.math.log(tf.reduce_sum(tf.exp(z), axis=-1, keepdims=True))
    losses = -tf.reduce_sum(target * tf.where(target > 0, log_p, tf.zeros_like(log_p)), axis=-1)
    if weights is None:
        return tf.reduce_mean(losses)
    return tf.reduce_sum(weights * losses) / tf.reduce_sum(weights)
