# caught by: float64
# why: tf.constant(lr) is float32, and TensorFlow refuses to multiply it with a float64 gradient
import tensorflow as tf


def gd_step(x, loss, lr):
    lr = tf.constant(lr)
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    x.assign_sub(lr * grad)
    return grad
