# caught by: shapes
# why: it averages the gradient over the elements and moves all of them alike
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    x.assign_sub(lr * tf.reduce_mean(grad) * tf.ones_like(x))
    return grad
