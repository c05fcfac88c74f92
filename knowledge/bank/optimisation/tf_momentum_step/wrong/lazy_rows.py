# caught by: sparse-gradient
# why: rows without a gradient in this step are left alone, so that their velocity does not carry them on
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
            touched = 1.0
            if isinstance(gradient, tf.IndexedSlices):
                rows = tf.tensor_scatter_nd_update(
                    tf.zeros(variable.shape[0], variable.dtype),
                    gradient.indices[:, None],
                    tf.ones(tf.size(gradient.indices), variable.dtype),
                )
                touched = tf.reshape(rows, [-1] + [1] * (len(variable.shape) - 1))
            gradient = tf.convert_to_tensor(gradient)
            push = tf.cast(lr, variable.dtype) * gradient
            velocity.assign(touched * (self.momentum * velocity - push) + (1.0 - touched) * velocity)
            variable.assign_add(touched * (self.momentum * velocity - push if self.nesterov else velocity))
