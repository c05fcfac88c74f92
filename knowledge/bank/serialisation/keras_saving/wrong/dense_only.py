# caught by: configuration
# why: it notes the width and comes back with a plain Dense, whatever the inner layer was
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
        return {**super().get_config(), "units": self.inner.units, "scale": self.scale}

    @classmethod
    def from_config(cls, config):
        return cls(keras.layers.Dense(config.pop("units")), **config)
