# caught by: start
# why: the weight starts at one and not at the scale that was asked for
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
        self.s = self.add_weight(shape=(), initializer=keras.initializers.Ones())

    def call(self, x):
        return x + self.s * self.inner(x)

    def get_config(self):
        return {**super().get_config(), "inner": keras.saving.serialize_keras_object(self.inner), "scale": self.scale}

    @classmethod
    def from_config(cls, config):
        inner = keras.saving.deserialize_keras_object(config.pop("inner"))
        return cls(inner, **config)
