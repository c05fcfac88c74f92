# caught by: learning-rate
# why: the example's rate stands in the code in place of lr
import tensorflow as tf


def gd_step(x, loss, lr):
    learning_rate = 0.1
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    x.assign_sub(learning_rate * grad)
    return grad
