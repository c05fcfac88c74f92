# caught by: other-variables
# why: it takes a step on all that the tape has seen, not on x alone
import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        y = loss(x)
    variables = tape.watched_variables()
    gradients = tape.gradient(y, variables)
    for variable, gradient in zip(variables, gradients):
        variable.assign_sub(lr * gradient)
    return next(g for v, g in zip(variables, gradients) if v is x)
