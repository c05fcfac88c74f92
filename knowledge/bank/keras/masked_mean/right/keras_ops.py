import keras
from keras import layers, ops


class EverySecond(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        return inputs[:, 0::2, :]

    def compute_mask(self, inputs, mask=None):
        if mask is not None:
            mask = mask[:, 0::2]
        return mask


@keras.saving.register_keras_serializable(package="viva")
class MaskedMean(layers.Layer):
    def call(self, inputs, mask=None):
        x = inputs if self.compute_dtype == "float64" else ops.cast(inputs, "float32")
        if mask is None:
            weights = ops.ones_like(x[:, :, :1])
        else:
            x = ops.where(ops.expand_dims(mask, -1), x, 0.0)
            weights = ops.cast(ops.expand_dims(mask, -1), x.dtype)
        number = ops.sum(weights, axis=1)
        mean = ops.where(number > 0, ops.sum(x, axis=1) / ops.where(number > 0, number, 1.0), 0.0)
        return ops.cast(mean, inputs.dtype)

    def compute_mask(self, inputs, mask=None):
        return None
