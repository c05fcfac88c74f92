# caught by: returned-gradient
# why: the gradient that it returns is the one at the new value
import tensorflow as tf


def gradient_at(loss, x):
    with tf.GradientTape() as tape:
        y = loss(x)
    return tape.gradient(y, x)


def gd_step(x, loss, lr):
    x.assign_sub(lr * gradient_at(loss, x))
    return gradient_at(loss, x)
