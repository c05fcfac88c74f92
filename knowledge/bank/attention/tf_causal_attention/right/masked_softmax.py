import tensorflow as tf


def attention(query, key, value, causal=False, mask=None):
    """Scaled dot-product attention, positions before heads; a query that may see no key gets zeros."""
    wide = tf.float32 if query.dtype == tf.float16 else query.dtype
    query_, key_, value_ = (tf.cast(item, wide) for item in (query, key, value))
    scores = tf.einsum("bqhd,bkhd->bhqk", query_, key_) / tf.sqrt(tf.cast(tf.shape(query)[-1], wide))
    queries, keys = tf.shape(query)[1], tf.shape(key)[1]
    seen = tf.ones([1, 1, queries, keys], dtype=tf.bool)
    if causal:  # the last query stands at the last key
        seen = tf.range(keys)[None, :] <= tf.range(queries)[:, None] + keys - queries
    if mask is not None:
        seen = seen & mask[:, None, None, :]
    # A finite fill keeps rows without any key finite, forwards and backwards; their weights are then set to 0.
    weights = tf.nn.softmax(tf.where(seen, scores, wide.min), axis=-1)
    weights = tf.where(seen, weights, tf.zeros([], wide))
    return tf.cast(tf.einsum("bhqk,bkhv->bqhv", weights, value_), query.dtype)
