# caught by: whole-shuffle
# why: a buffer of one batch mixes only samples that are near each other
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels)).map(prepare).cache()
    if training:
        ds = ds.shuffle(batch_size, seed=seed).map(augment)
    return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)
