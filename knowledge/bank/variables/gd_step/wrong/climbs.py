# caught by: hidden-loss
# why: it adds the gradient and so walks uphill
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    x.assign_add(lr * grad)
    return grad
