# caught by: hidden-loss
# why: x becomes the name of a new tensor and the caller's variable keeps its old value
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    x = x - lr * grad
    return grad
