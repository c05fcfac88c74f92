# caught by: batch-sizes
# why: it generalises only after the second shape, which is one trace too many
import tensorflow as tf


def compile_once(f, features):
    graph = tf.function(f, reduce_retracing=True)

    def g(x, scale):
        return graph(tf.convert_to_tensor(x, tf.float32), tf.convert_to_tensor(scale, tf.float32))

    return g
