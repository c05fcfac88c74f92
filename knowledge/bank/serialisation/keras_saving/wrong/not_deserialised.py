# caught by: saved
# why: the inner layer comes back as the dictionary that was written, and cannot be called
import keras


@keras.saving.register_keras_serializable()
class Residual(keras.layers.Layer):
    def __init__(self, inner, scale=0.1, **kwargs):
        super().__init__(**kwargs)
        self.inner = inner
        self.scale = scale

    def build(self, input_shape):
        if not self.inner.built:
            self.inner.build(input_shape)
        self.s = self.add_weight(shape=(), initializer=keras.initializers.Constant(self.scale))

    def call(self, x):
        return x + self.s * self.inner(x)

    def get_config(self):
        return {**super().get_config(), "inner": keras.saving.serialize_keras_object(self.inner), "scale": self.scale}
