# caught by: training-batches
# why: augment is written for one sample and is given a whole batch
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels)).map(prepare).cache()
    if training:
        ds = ds.shuffle(len(features), seed=seed)
    ds = ds.batch(batch_size)
    if training:
        ds = ds.map(augment)
    return ds.prefetch(tf.data.AUTOTUNE)
