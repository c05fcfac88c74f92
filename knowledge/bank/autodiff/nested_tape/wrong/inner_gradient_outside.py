# caught by: quadratic
# why: the first gradient is taken after the outer tape has closed, so that the outer one records nothing of it
import tensorflow as tf


def hvp(f, xs, vs):
    zero = tf.UnconnectedGradients.ZERO
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            value = f(*xs)
    gradients = inner.gradient(value, xs, unconnected_gradients=zero)
    slope = tf.add_n([tf.reduce_sum(g * v) for g, v in zip(gradients, vs)])
    return [tf.convert_to_tensor(p) for p in outer.gradient(slope, xs, unconnected_gradients=zero)]
