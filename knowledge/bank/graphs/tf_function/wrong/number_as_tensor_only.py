# caught by: batch-sizes
# why: the number no longer retraces, but each batch size still does
import tensorflow as tf


def compile_once(f, features):
    graph = tf.function(f)

    def g(x, scale):
        return graph(tf.convert_to_tensor(x, tf.float32), tf.constant(scale, tf.float32))

    return g
