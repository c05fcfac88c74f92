# caught by: batch-sizes
# why: f is called as ordinary Python, and no graph is ever made
import tensorflow as tf


def compile_once(f, features):
    def g(x, scale):
        x = tf.ensure_shape(tf.convert_to_tensor(x, tf.float32), [None, features])
        return f(x, tf.convert_to_tensor(scale, tf.float32))

    return g
