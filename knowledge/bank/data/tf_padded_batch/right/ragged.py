import numpy as np
import tensorflow as tf


def padded_batches(sequences, labels, batch_size, padding_value=0):
    flat = tf.constant(np.concatenate(sequences))
    ragged = tf.RaggedTensor.from_row_lengths(flat, [len(sequence) for sequence in sequences])

    def pad(rows, targets):
        ids = rows.to_tensor(tf.cast(padding_value, rows.dtype))
        return ids, tf.sequence_mask(rows.row_lengths(), tf.shape(ids)[1]), targets

    pairs = (ragged, tf.constant(labels, tf.int64))
    return tf.data.Dataset.from_tensor_slices(pairs).batch(batch_size).map(pad)


def masked_mean(values, mask):
    extra = len(values.shape) - 2
    shape = tf.concat([tf.shape(mask), tf.ones(extra, tf.int32)], axis=0)
    mask = tf.reshape(mask, shape)
    total = tf.reduce_sum(tf.where(mask, values, tf.zeros_like(values)), axis=1)
    return tf.math.divide_no_nan(total, tf.reduce_sum(tf.cast(mask, values.dtype), axis=1))
