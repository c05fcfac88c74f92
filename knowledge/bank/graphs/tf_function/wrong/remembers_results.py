# caught by: state
# why: it takes the same trace for the same result: f has to run again for other values and for its state
import tensorflow as tf


def compile_once(f, features):
    remembered = {}

    def g(x, scale):
        x = tf.convert_to_tensor(x, tf.float32)
        key = tuple(x.shape)
        if key not in remembered:
            remembered[key] = f(x, tf.convert_to_tensor(scale, tf.float32))
        return remembered[key]

    return g
