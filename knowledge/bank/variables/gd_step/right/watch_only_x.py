import tensorflow as tf


def value_and_gradient(function, x):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        value = function(x)
    return value, tape.gradient(value, [x])[0]


def gd_step(x, loss, lr):
    _, grad = value_and_gradient(loss, x)
    x.assign(x - tf.cast(lr, x.dtype) * grad)
    return grad
