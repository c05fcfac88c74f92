# caught by: in-a-graph
# why: velocities are Python attributes: inside a tf.function they hold symbolic tensors of the trace
import tensorflow as tf


class Momentum:
    """Gradient descent with momentum; keeps one velocity for each variable."""

    def __init__(self, variables, momentum=0.9, nesterov=False):
        self.variables = list(variables)
        self.momentum = momentum
        self.nesterov = nesterov
        # Made here and once: a tf.function may not make new variables when it is traced again.
        self.velocities = [tf.zeros_like(variable) for variable in self.variables]

    def step(self, gradients, lr):
        """Change the variables in place. A gradient is a tensor, tf.IndexedSlices or None."""
        for index, (variable, gradient) in enumerate(zip(self.variables, gradients)):
            if gradient is None:
                continue
            gradient = tf.convert_to_tensor(gradient)  # rows that are named twice are added up
            push = tf.cast(lr, variable.dtype) * gradient
            velocity = self.velocities[index] = self.momentum * self.velocities[index] - push
            variable.assign_add(self.momentum * velocity - push if self.nesterov else velocity)
