# caught by: seeded
# why: the seed is not handed on, and each pipeline has an order of its own
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels)).map(prepare).cache()
    if training:
        ds = ds.shuffle(len(features)).map(augment)
    return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)
