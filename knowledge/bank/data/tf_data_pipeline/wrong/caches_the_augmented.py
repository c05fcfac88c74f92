# caught by: augmented-anew
# why: everything is cached, so that each epoch shows the same augmented samples
import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    ds = tf.data.Dataset.from_tensor_slices((features, labels)).map(prepare)
    if training:
        ds = ds.map(augment)
    ds = ds.cache()
    if training:
        ds = ds.shuffle(len(features), seed=seed)
    return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)
