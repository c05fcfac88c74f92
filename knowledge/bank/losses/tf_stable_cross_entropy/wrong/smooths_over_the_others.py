# caught by: smoothing
# why: the smoothing is shared among the other classes only, and the label gets none of it
import tensorflow as tf


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    classes = logits.shape[-1]
    hot = tf.one_hot(labels, classes, dtype=logits.dtype)
    target = hot * (1 - label_smoothing) + (1 - hot) * label_smoothing / max(classes - 1, 1)
    z = logits - tf.reduce_max(logits, axis=-1, keepdims=True)
    log_p = z - tf.math.log(tf.reduce_sum(tf.exp(z), axis=-1, keepdims=True))
    losses = -tf.reduce_sum(target * tf.where(target > 0, log_p, tf.zeros_like(log_p)), axis=-1)
    if weights is None:
        weights = tf.ones_like(losses)
    return tf.math.divide_no_nan(tf.reduce_sum(weights * losses), tf.reduce_sum(weights))
