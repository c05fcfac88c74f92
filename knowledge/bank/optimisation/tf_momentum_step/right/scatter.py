import tensorflow as tf


class Momentum(tf.Module):
    def __init__(self, variables, momentum=0.9, nesterov=False):
        super().__init__()
        self.pairs = []
        for variable in variables:
            start = tf.zeros(variable.shape, variable.dtype)
            self.pairs.append((variable, tf.Variable(start, trainable=False)))
        self.momentum, self.nesterov = momentum, nesterov

    def step(self, gradients, lr):
        for gradient, (variable, velocity) in zip(gradients, self.pairs):
            if gradient is not None:
                self._update(variable, velocity, gradient, tf.cast(lr, variable.dtype))

    def _update(self, variable, velocity, gradient, lr):
        velocity.assign(velocity * self.momentum)
        self._subtract(velocity, gradient, lr)
        if not self.nesterov:
            variable.assign_add(velocity)
            return
        variable.assign_add(self.momentum * velocity)
        self._subtract(variable, gradient, lr)

    @staticmethod
    def _subtract(target, gradient, lr):
        if isinstance(gradient, tf.IndexedSlices):
            target.scatter_sub(tf.IndexedSlices(lr * gradient.values, gradient.indices))
        else:
            target.assign_sub(lr * gradient)
