# caught by: float64
# why: a difference of two gradients is near the product, and not equal to it
import tensorflow as tf


def hvp(f, xs, vs):
    h = 1e-3

    def gradient_at(points):
        with tf.GradientTape() as tape:
            tape.watch(points)
            value = f(*points)
        found = tape.gradient(value, points, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return [tf.convert_to_tensor(g) for g in found]

    above = gradient_at([tf.convert_to_tensor(x) + h * v for x, v in zip(xs, vs)])
    below = gradient_at([tf.convert_to_tensor(x) - h * v for x, v in zip(xs, vs)])
    return [(a - b) / (2 * h) for a, b in zip(above, below)]
