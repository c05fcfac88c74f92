# caught by: reshuffled
# why: the cache keeps the order of the first epoch
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels))
    if training:
        ds = ds.shuffle(len(features), seed=seed)
    ds = ds.map(prepare).cache()
    if training:
        ds = ds.map(augment)
    return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)
