# caught by: large
# why: the whole Hessian is formed, column by column, which takes memory in the square of the number of entries
import tensorflow as tf


def hvp(f, xs, vs):
    zero = tf.UnconnectedGradients.ZERO
    points = [tf.convert_to_tensor(x) for x in xs]
    flat = tf.concat([tf.reshape(p, [-1]) for p in points], 0)
    sizes = [int(tf.size(p)) for p in points]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(flat)
        with tf.GradientTape() as inner:
            inner.watch(flat)
            parts = [tf.reshape(part, p.shape) for part, p in zip(tf.split(flat, sizes), points)]
            value = f(*parts)
        gradient = tf.convert_to_tensor(inner.gradient(value, flat))
    hessian = tf.Variable(tf.zeros([sum(sizes), sum(sizes)], flat.dtype))
    for i, unit in enumerate(tf.eye(sum(sizes), dtype=flat.dtype)):
        hessian[:, i].assign(outer.gradient(gradient, flat, output_gradients=unit, unconnected_gradients=zero))
    product = tf.linalg.matvec(hessian, tf.concat([tf.reshape(v, [-1]) for v in vs], 0))
    return [tf.reshape(part, p.shape) for part, p in zip(tf.split(product, sizes), points)]
