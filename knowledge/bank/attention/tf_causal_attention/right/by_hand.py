import tensorflow as tf


def heads_first(item, wide):
    return tf.transpose(tf.cast(item, wide), [0, 2, 1, 3])


def attention(query, key, value, causal=False, mask=None):
    dtype = query.dtype
    wide = tf.float64 if dtype == tf.float64 else tf.float32
    q, k, v = heads_first(query, wide), heads_first(key, wide), heads_first(value, wide)
    scores = tf.matmul(q * tf.math.rsqrt(tf.cast(tf.shape(q)[-1], wide)), k, transpose_b=True)
    seen = tf.ones_like(scores, dtype=tf.bool)
    if mask is not None:
        seen = tf.logical_and(seen, mask[:, tf.newaxis, tf.newaxis, :])
    if causal:
        ahead = tf.shape(k)[2] - tf.shape(q)[2]
        rows = tf.range(tf.shape(q)[2])[:, tf.newaxis] + ahead
        seen = tf.logical_and(seen, tf.range(tf.shape(k)[2])[tf.newaxis, :] <= rows)
    safe = tf.where(seen, scores, tf.zeros_like(scores))
    low = tf.where(seen, scores, tf.fill(tf.shape(scores), tf.constant(wide.min, wide)))
    top = tf.stop_gradient(tf.maximum(tf.reduce_max(low, -1, keepdims=True), -1e30))
    grown = tf.where(seen, tf.exp(tf.where(seen, safe - top, tf.zeros_like(safe))), tf.zeros_like(safe))
    total = tf.reduce_sum(grown, -1, keepdims=True)
    out = tf.matmul(grown, v) / tf.where(total > 0, total, tf.ones_like(total))
    return tf.cast(tf.transpose(out, [0, 2, 1, 3]), dtype)
