# caught by: no-curvature
# why: None where the second derivative is zero or the input is not used
import tensorflow as tf


def hvp(f, xs, vs):
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            value = f(*xs)
        gradients = inner.gradient(value, xs)
        slope = tf.add_n([tf.reduce_sum(g * v) for g, v in zip(gradients, vs)])
    return [tf.convert_to_tensor(p) for p in outer.gradient(slope, xs)]
