# caught by: sample-weight
# why: the sample weights are unpacked and then forgotten
import keras
import tensorflow as tf


class NormModel(keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.grad_norm = keras.metrics.Mean(name="grad_norm")

    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            elif metric is self.grad_norm:
                metric.update_state(tf.linalg.global_norm(gradients))
            else:
                metric.update_state(y, y_pred)
        return self.get_metrics_result()
