# caught by: hidden-loss
# why: tf.constant(x.numpy()) leaves the tape, so that the loss no longer depends on x
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(tf.constant(x.numpy()))
    grad = tape.gradient(y, x)
    x.assign_sub(lr * grad)
    return grad
