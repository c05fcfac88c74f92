# caught by: learning-rate
# why: the form of PyTorch, whose velocity holds no learning rate: the same until the rate changes
import tensorflow as tf


class Momentum:
    """Gradient descent with momentum; keeps one velocity for each variable."""

    def __init__(self, variables, momentum=0.9, nesterov=False):
        self.variables = list(variables)
        self.momentum = momentum
        self.nesterov = nesterov
        # Made here and once: a tf.function may not make new variables when it is traced again.
        self.velocities = [tf.Variable(tf.zeros_like(variable), trainable=False) for variable in self.variables]

    def step(self, gradients, lr):
        """Change the variables in place. A gradient is a tensor, tf.IndexedSlices or None."""
        for variable, velocity, gradient in zip(self.variables, self.velocities, gradients):
            if gradient is None:
                continue
            gradient = tf.convert_to_tensor(gradient)  # rows that are named twice are added up
            lr = tf.cast(lr, variable.dtype)
            velocity.assign(self.momentum * velocity + gradient)
            variable.assign_sub(lr * (self.momentum * velocity + gradient if self.nesterov else velocity))
