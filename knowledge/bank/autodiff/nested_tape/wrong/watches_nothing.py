# caught by: documented-example
# why: only variables are watched without being told, and plain tensors give None
import tensorflow as tf


def hvp(f, xs, vs):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            value = f(*xs)
        gradients = inner.gradient(value, xs)
        slope = tf.add_n([tf.reduce_sum(g * v) for g, v in zip(gradients, vs)])
    return outer.gradient(slope, xs)
