# caught by: shapes
# why: float() works for a scalar and raises for everything else
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = float(tape.gradient(y, x))
    x.assign_sub(lr * grad)
    return tf.constant(grad, dtype=x.dtype)
