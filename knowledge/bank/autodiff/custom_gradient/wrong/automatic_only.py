# caught by: clipped
# why: leaves it to the tape, which cannot clip gradients
import tensorflow as tf


def swish(x, beta):
    return x * tf.sigmoid(beta * x)


def clip_gradient(x, limit):
    return tf.identity(x)
