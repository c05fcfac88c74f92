import keras


@keras.saving.register_keras_serializable(package="interview")
class Residual(keras.layers.Layer):
    """x + s * inner(x), where the trainable number s starts at `scale`."""

    def __init__(self, inner, scale=0.1, **kwargs):
        super().__init__(**kwargs)
        self.inner = inner
        self.scale = scale

    def build(self, input_shape):
        if not self.inner.built:
            self.inner.build(input_shape)
        self.s = self.add_weight(shape=(), initializer=keras.initializers.Constant(self.scale), name="s")

    def call(self, x):
        return x + self.s * self.inner(x)

    def get_config(self):
        config = super().get_config()
        return {**config, "inner": keras.saving.serialize_keras_object(self.inner), "scale": self.scale}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        inner = keras.saving.deserialize_keras_object(config.pop("inner"))
        return cls(inner, **config)
