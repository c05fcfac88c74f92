import tensorflow as tf


def hvp(f, xs, vs):
    """For each of the tensors xs, its part of the product of f's Hessian with the direction vs."""
    zero = tf.UnconnectedGradients.ZERO
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            value = f(*xs)
        gradients = inner.gradient(value, xs, unconnected_gradients=zero)
        slope = tf.add_n([tf.reduce_sum(g * v) for g, v in zip(gradients, vs)])
    return [tf.convert_to_tensor(p) for p in outer.gradient(slope, xs, unconnected_gradients=zero)]
