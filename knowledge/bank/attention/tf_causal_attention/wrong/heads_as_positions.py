# caught by: unmasked
# why: attends over heads within a position, as if the heads came first
import tensorflow as tf


def attention(query, key, value, causal=False, mask=None):
    scores = tf.matmul(query, key, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(query)[-1], query.dtype))
    queries, keys = tf.shape(scores)[-2], tf.shape(scores)[-1]
    if causal:
        seen = tf.range(keys)[None, :] <= tf.range(queries)[:, None] + keys - queries
        scores = tf.where(seen, scores, scores.dtype.min)
    return tf.matmul(tf.nn.softmax(scores), value)
