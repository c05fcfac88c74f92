# caught by: gathered
# why: the first gradient of a lookup is IndexedSlices and has no shape to be multiplied in
import tensorflow as tf


def hvp(f, xs, vs):
    zero = tf.UnconnectedGradients.ZERO
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            value = f(*xs)
        gradients = inner.gradient(value, xs, unconnected_gradients=zero)
    products = outer.gradient(gradients, xs, output_gradients=vs, unconnected_gradients=zero)
    return [tf.convert_to_tensor(p) for p in products]
