# caught by: python-numbers
# why: every new Python number, and every new shape, is a new signature and so a new trace
import tensorflow as tf


def compile_once(f, features):
    return tf.function(f)
