# caught by: two-steps
# why: it keeps the first gradient of a variable and uses it again at the second step
import tensorflow as tf

_gradients = {}


def gd_step(x, loss, lr):
    if id(x) not in _gradients:
        with tf.GradientTape() as tape:
            y = loss(x)
        _gradients[id(x)] = (tape.gradient(y, x), x)
    grad = _gradients[id(x)][0]
    x.assign_sub(lr * grad)
    return grad
