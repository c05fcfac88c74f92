# caught by: training-batches
# why: drop_remainder loses the samples of the last, smaller batch
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels)).map(prepare).cache()
    if training:
        ds = ds.shuffle(len(features), seed=seed).map(augment)
    return ds.batch(batch_size, drop_remainder=training).prefetch(tf.data.AUTOTUNE)
