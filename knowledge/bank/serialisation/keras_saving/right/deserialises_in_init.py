import tensorflow as tf


@tf.keras.utils.register_keras_serializable("viva")
class Residual(tf.keras.Layer):
    def __init__(self, inner, scale=0.1, name=None, trainable=True, dtype=None):
        super().__init__(name=name, trainable=trainable, dtype=dtype)
        self.inner = tf.keras.layers.deserialize(inner) if isinstance(inner, dict) else inner
        self.initial = scale
        start = tf.keras.initializers.Constant(scale)
        self.gain = self.add_weight(shape=(), initializer=start, trainable=True, name="gain")

    def build(self, shape):
        if not self.inner.built:
            self.inner.build(shape)

    def call(self, inputs):
        return tf.add(inputs, tf.multiply(self.gain, self.inner(inputs)))

    def get_config(self):
        config = super().get_config()
        config.update(inner=tf.keras.layers.serialize(self.inner), scale=self.initial)
        return config
