# caught by: documented-example
# why: the last, smaller batch is dropped
import tensorflow as tf


def padded_batches(sequences, labels, batch_size, padding_value=0):
    """A tf.data.Dataset of (padded sequences, mask of real elements, labels), in order."""
    dtype = tf.as_dtype(sequences[0].dtype)

    def samples():  # called anew for each pass over the data
        for sequence, label in zip(sequences, labels):
            yield sequence, [True] * len(sequence), label

    signature = (tf.TensorSpec([None], dtype), tf.TensorSpec([None], tf.bool), tf.TensorSpec([], tf.int64))
    dataset = tf.data.Dataset.from_generator(samples, output_signature=signature)
    filler = (tf.cast(padding_value, dtype), False, tf.constant(0, tf.int64))
    return dataset.padded_batch(
        batch_size, padded_shapes=([None], [None], []), padding_values=filler, drop_remainder=True
    )


def masked_mean(values, mask):
    """The mean of each row's real elements; 0 for a row that has none."""
    for _ in range(len(values.shape) - 2):
        mask = mask[..., tf.newaxis]  # the mask lacks the dimensions of the elements
    real = tf.where(mask, values, 0)  # a product with the mask would keep nan
    counts = tf.reduce_sum(tf.cast(mask, values.dtype), axis=1)
    return tf.reduce_sum(real, axis=1) / tf.maximum(counts, 1)
