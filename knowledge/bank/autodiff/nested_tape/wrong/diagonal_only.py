# caught by: quadratic
# why: tape.gradient of the gradient gives row sums of the Hessian; multiplied by v they are right for a diagonal one only
import tensorflow as tf


def hvp(f, xs, vs):
    zero = tf.UnconnectedGradients.ZERO
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            value = f(*xs)
        gradients = [tf.convert_to_tensor(g) for g in inner.gradient(value, xs, unconnected_gradients=zero)]
    second = outer.gradient(gradients, xs, unconnected_gradients=zero)
    return [tf.convert_to_tensor(s) * v for s, v in zip(second, vs)]
