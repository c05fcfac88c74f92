# caught by: accumulated
# why: the gradients of the micro-batches are summed, which multiplies the step by their number
import tensorflow as tf


def clipped_step(loss, batches, variables, lr, max_norm):
    samples = sum(int(x.shape[0]) for x, _ in batches)
    total = [tf.zeros_like(v) for v in variables]
    for x, y in batches:
        with tf.GradientTape() as tape:
            value = loss(x, y)
        gradients = tape.gradient(value, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        share = 1.0
        total = [t + share * tf.convert_to_tensor(g) for t, g in zip(total, gradients)]
    norm = tf.sqrt(tf.add_n([tf.reduce_sum(g * g) for g in total]))
    if tf.math.is_finite(norm):
        scale = max_norm / tf.maximum(norm, max_norm)
        for v, g in zip(variables, total):
            v.assign_sub(lr * scale * g)
    return norm
