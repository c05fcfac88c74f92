import tensorflow as tf
from tensorflow import keras


class NormModel(keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._norm = keras.metrics.Mean("grad_norm")

    def train_step(self, data):
        x, y, weight = data if len(data) == 3 else (*data, None)
        variables = self.trainable_weights
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x, y, predicted, weight)
        grads = tape.gradient(loss, variables)
        self.optimizer.apply(grads, variables)
        self._norm.update_state(tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(g)) for g in grads])))
        self.metrics[0].update_state(loss)
        logs = self.compute_metrics(x, y, predicted, weight)
        return {**logs, "loss": self.metrics[0].result(), "grad_norm": self._norm.result()}
