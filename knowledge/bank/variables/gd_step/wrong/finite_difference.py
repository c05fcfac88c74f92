# caught by: float64
# why: a difference quotient comes close, and is not the derivative
import tensorflow as tf


def gd_step(x, loss, lr):
    h = 1e-4
    start = tf.convert_to_tensor(x)
    flat = tf.reshape(start, [-1])
    parts = []
    for i in range(flat.shape[0]):
        shift = tf.reshape(tf.one_hot(i, flat.shape[0], dtype=x.dtype) * h, start.shape)
        parts.append((loss(start + shift) - loss(start)) / h)
    grad = tf.reshape(tf.stack(parts), start.shape) if parts else tf.zeros_like(start)
    x.assign_sub(lr * grad)
    return grad
