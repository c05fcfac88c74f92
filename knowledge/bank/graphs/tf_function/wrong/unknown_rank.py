# caught by: wrong-features
# why: a signature without a shape also takes what has the wrong number of features
import tensorflow as tf


def compile_once(f, features):
    return tf.function(f, input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.float32)])
