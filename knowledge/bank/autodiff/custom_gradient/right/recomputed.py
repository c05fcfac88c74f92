import tensorflow as tf


@tf.custom_gradient
def swish(x, beta):
    """x * sigmoid(beta * x), with its gradient by hand; beta broadcasts against x."""

    def gradient(upstream):
        z = beta * x
        s = tf.sigmoid(z)
        slope = s * tf.sigmoid(-z)  # 1 - s without cancellation
        by_beta = upstream * x * x * slope
        _, repeated = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(beta))
        return upstream * (s + z * slope), tf.reshape(tf.reduce_sum(by_beta, repeated), tf.shape(beta))

    return x * tf.sigmoid(beta * x), gradient


def clip_gradient(x, limit):
    """x itself; the gradient that flows back is cut to [-limit, limit]."""

    @tf.custom_gradient
    def unchanged(x):
        return tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -limit, limit)

    return unchanged(x)
