import tensorflow as tf


def summed_like(gradient, shape):
    extra = len(gradient.shape) - len(shape)
    gradient = tf.reduce_sum(gradient, axis=list(range(extra)))
    return tf.reduce_sum(gradient, axis=[i for i, size in enumerate(shape) if size == 1], keepdims=True)


@tf.custom_gradient
def _swish(x, beta):
    s = tf.math.sigmoid(x * beta)

    def grad(dy):
        inner = s * (1.0 - s)
        return dy * (s + beta * x * inner), summed_like(dy * tf.square(x) * inner, beta.shape)

    return x * s, grad


def swish(x, beta):
    return _swish(tf.convert_to_tensor(x), tf.convert_to_tensor(beta))


@tf.custom_gradient
def _limited(x, limit):
    def grad(dy):
        return tf.maximum(tf.minimum(dy, limit), -limit), None

    return tf.identity(x), grad


def clip_gradient(x, limit):
    return _limited(x, tf.cast(limit, x.dtype))
