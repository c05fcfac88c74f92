# caught by: float64
# why: the cast makes the types agree and throws half of the digits away
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tf.cast(tape.gradient(y, x), tf.float32)
    x.assign_sub(tf.cast(lr * grad, x.dtype))
    return tf.cast(grad, x.dtype)
