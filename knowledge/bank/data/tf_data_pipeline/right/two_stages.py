import tensorflow as tf


def prepared_samples(features, labels, prepare):
    x = tf.data.Dataset.from_tensor_slices(tf.constant(features))
    y = tf.data.Dataset.from_tensor_slices(tf.constant(labels))
    return tf.data.Dataset.zip((x, y)).map(lambda a, b: prepare(a, b)).cache()


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    dataset = prepared_samples(features, labels, prepare)
    if training:
        count = max(1, int(dataset.cardinality()))
        dataset = dataset.shuffle(buffer_size=count, seed=seed, reshuffle_each_iteration=True)
        dataset = dataset.map(lambda a, b: augment(a, b), deterministic=True)
    return dataset.batch(batch_size, drop_remainder=False).prefetch(1)
