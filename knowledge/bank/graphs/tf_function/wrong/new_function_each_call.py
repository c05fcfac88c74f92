# caught by: batch-sizes
# why: a tf.function made inside the call forgets its graph and traces at each call
import tensorflow as tf


def compile_once(f, features):
    signature = [tf.TensorSpec([None, features], tf.float32), tf.TensorSpec([], tf.float32)]

    def g(x, scale):
        return tf.function(f, input_signature=signature)(x, scale)

    return g
