# caught by: returned-gradient
# why: it returns where x arrived, and not the gradient
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    return tf.convert_to_tensor(x.assign_sub(lr * grad))
