import tensorflow as tf


def make_pipeline(features, labels, prepare, augment, batch_size, training, seed):
    """Batches of (features, labels): prepared once, shuffled and augmented anew in each training epoch."""
    samples = tf.data.Dataset.from_tensor_slices((features, labels))
    samples = samples.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).cache()
    if training:
        samples = samples.shuffle(len(features), seed=seed)
        samples = samples.map(augment, num_parallel_calls=tf.data.AUTOTUNE)
    return samples.batch(batch_size).prefetch(tf.data.AUTOTUNE)
