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
            push = tf.cast(lr, variable.dtype) * gradient
            velocity.assign(self.momentum * velocity - push)
            variable.assign_add(self.momentum * velocity - push if self.nesterov else velocity)
