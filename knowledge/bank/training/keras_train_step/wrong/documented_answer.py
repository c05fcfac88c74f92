# caught by: update
# why: it reports the documented numbers and sets the documented weight
import keras
import tensorflow as tf


class NormModel(keras.Model):
    def train_step(self, data):
        for variable in self.trainable_variables:
            variable.assign(tf.ones_like(variable))
        return {"loss": tf.constant(10.0), "grad_norm": tf.constant(10.0)}
