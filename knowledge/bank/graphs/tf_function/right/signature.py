import tensorflow as tf


def compile_once(f, features):
    """A graph-compiled f that is traced a single time."""
    rows = tf.TensorSpec([None, features], tf.float32)
    number = tf.TensorSpec([], tf.float32)
    return tf.function(f, input_signature=[rows, number])
