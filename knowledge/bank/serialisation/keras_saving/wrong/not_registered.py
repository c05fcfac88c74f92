# caught by: saved
# why: without registration load_model does not know the class
import keras


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

    @classmethod
    def from_config(cls, config):
        inner = keras.saving.deserialize_keras_object(config.pop("inner"))
        return cls(inner, **config)
