# caught by: above-the-limit
# why: each variable is clipped by its own norm, which turns the direction of the step
import tensorflow as tf


def clipped_step(loss, batches, variables, lr, max_norm):
    samples = sum(int(x.shape[0]) for x, _ in batches)
    total = [tf.zeros_like(v) for v in variables]
    for x, y in batches:
        with tf.GradientTape() as tape:
            value = loss(x, y)
        gradients = tape.gradient(value, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        share = int(x.shape[0]) / samples
        total = [t + share * tf.convert_to_tensor(g) for t, g in zip(total, gradients)]
    norm = tf.sqrt(tf.add_n([tf.reduce_sum(g * g) for g in total]))
    if tf.math.is_finite(norm):
        scale = max_norm / tf.maximum(norm, max_norm)
        for v, g in zip(variables, total):
            own = tf.norm(g)
            v.assign_sub(lr * g * max_norm / tf.maximum(own, max_norm))
    return norm
