# caught by: two-inputs
# why: each input is differentiated twice by itself, and what couples it to the others is lost
import tensorflow as tf


def hvp(f, xs, vs):
    zero = tf.UnconnectedGradients.ZERO
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            value = f(*xs)
        gradients = inner.gradient(value, xs, unconnected_gradients=zero)
        slopes = [tf.reduce_sum(g * v) for g, v in zip(gradients, vs)]
    return [
        tf.convert_to_tensor(outer.gradient(slope, x, unconnected_gradients=zero)) for slope, x in zip(slopes, xs)
    ]
