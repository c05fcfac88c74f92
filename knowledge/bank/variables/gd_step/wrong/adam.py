# caught by: hidden-loss
# why: Adam scales the step: its first one has the length lr, whatever the gradient
import tensorflow as tf


def gd_step(x, loss, lr):
    optimizer = tf.keras.optimizers.Adam(learning_rate=lr)
    with tf.GradientTape() as tape:
        y = loss(x)
    grad = tape.gradient(y, x)
    optimizer.apply_gradients([(grad, x)])
    return grad
