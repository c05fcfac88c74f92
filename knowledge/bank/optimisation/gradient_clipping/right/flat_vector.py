import tensorflow as tf


def clipped_step(loss, batches, variables, lr, max_norm):
    count = [tf.cast(tf.shape(x)[0], variables[0].dtype) for x, _ in batches]
    parts = []
    for (x, y), n in zip(batches, count):
        with tf.GradientTape() as tape:
            value = n * tf.cast(loss(x, y), n.dtype)
        grads = tape.gradient(value, variables)
        dense = [tf.zeros_like(v) if g is None else tf.convert_to_tensor(g) for v, g in zip(variables, grads)]
        parts.append(tf.concat([tf.reshape(g, [-1]) for g in dense], axis=0))
    flat = tf.add_n(parts) / tf.add_n(count)
    norm = tf.norm(flat)
    if not bool(tf.math.is_finite(norm)):
        return norm
    if norm > max_norm:
        flat = flat * (max_norm / norm)
    sizes = [int(tf.size(v)) for v in variables]
    for v, piece in zip(variables, tf.split(flat, sizes)):
        v.assign(v - lr * tf.reshape(piece, v.shape))
    return norm
