# caught by: whole-shuffle
# why: after batch, shuffle moves whole batches, and neighbours stay together
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels)).map(prepare).cache()
    if training:
        ds = ds.map(augment)
    ds = ds.batch(batch_size)
    if training:
        ds = ds.shuffle(len(features), seed=seed)
    return ds.prefetch(tf.data.AUTOTUNE)
