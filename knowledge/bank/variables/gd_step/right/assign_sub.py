import tensorflow as tf


def gd_step(x, loss, lr):
    """Move the variable x one step down the gradient of loss, in place, and return that gradient."""
    with tf.GradientTape() as tape:
        value = loss(x)
    gradient = tape.gradient(value, x)
    x.assign_sub(lr * gradient)
    return gradient
