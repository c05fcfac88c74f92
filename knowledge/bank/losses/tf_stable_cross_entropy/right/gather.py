import tensorflow as tf


def cross_entropy(logits, labels, weights=None, label_smoothing=0.0):
    """The weighted mean of the cross-entropy between integer labels and softmax(logits), over the last axis."""
    shifted = logits - tf.stop_gradient(tf.reduce_max(logits, axis=-1, keepdims=True))
    log_sum = tf.math.log(tf.reduce_sum(tf.exp(shifted), axis=-1))
    losses = log_sum - tf.gather(shifted, labels, axis=-1, batch_dims=len(labels.shape))
    if label_smoothing:
        spread = log_sum - tf.reduce_mean(shifted, axis=-1)
        losses = (1 - label_smoothing) * losses + label_smoothing * spread
    if weights is None:
        weights = tf.ones_like(losses)
    weights = tf.cast(weights, losses.dtype)
    return tf.math.divide_no_nan(tf.reduce_sum(weights * losses), tf.reduce_sum(weights))
