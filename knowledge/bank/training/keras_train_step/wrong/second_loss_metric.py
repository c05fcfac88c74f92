# caught by: training-mode
# why: a second metric called loss hides the one that Keras fills in evaluation, which then reports zero
import tensorflow as tf
from tensorflow import keras


class NormModel(keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._norm = keras.metrics.Mean("grad_norm")
        self.mean_loss = keras.metrics.Mean("loss")

    def train_step(self, data):
        x, y, weight = data if len(data) == 3 else (*data, None)
        variables = self.trainable_weights
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x, y, predicted, weight)
        grads = tape.gradient(loss, variables)
        self.optimizer.apply(grads, variables)
        self._norm.update_state(tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(g)) for g in grads])))
        self.mean_loss.update_state(loss)
        logs = self.compute_metrics(x, y, predicted, weight)
        return {**logs, "loss": self.mean_loss.result(), "grad_norm": self._norm.result()}
