# caught by: batch-sizes
# why: tf.py_function calls the Python body back at each call, so that nothing of f is in the graph
import tensorflow as tf


def compile_once(f, features):
    @tf.function(input_signature=[tf.TensorSpec([None, features], tf.float32), tf.TensorSpec([], tf.float32)])
    def g(x, scale):
        return tf.py_function(f, [x, scale], tf.float32)

    return g
