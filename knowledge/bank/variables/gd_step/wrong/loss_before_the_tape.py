# caught by: hidden-loss
# why: the loss is computed before the tape is open, so that the gradient is None
import tensorflow as tf


def gd_step(x, loss, lr):
    y = loss(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = y
    grad = tape.gradient(value, x)
    x.assign_sub(lr * grad)
    return grad
