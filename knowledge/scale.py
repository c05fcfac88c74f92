"""Measures kinds of FAISS index by size, on one core: the numbers behind `vectors.build_index`'s rule.

There are no million sentences here, so the vectors are made: each is a real vector (a text of the bank or library) plus
Gaussian noise with the covariance of the real ones, scaled to `NOISE` of their spread, and normalised. That keeps the
low intrinsic dimension of sentence embeddings, which uniform random vectors lack. Queries are made the same way.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import faiss
import numpy as np

from knowledge.vectors import Vectors, build_index, kind_for

NOISE = 0.7
KINDS = ("flat", "hnsw", "ivf")
QUERIES = 200
LARGEST_HNSW = 100_000  # vectors: beyond, a graph takes too long to build to be worth measuring


@dataclass(frozen=True)
class Scaled:
    """One kind at one size. Times are processor time of one thread, so that other work on the machine does not count;
    `chosen` marks the kind that the rule picks at this size."""

    size: int
    kind: str
    build_seconds: float
    bytes_per_vector: float
    p50_ms: float
    p95_ms: float
    recall_at_10: float
    chosen: bool


def make_vectors(real: Vectors, count: int, rng: np.random.Generator) -> Vectors:
    """`count` unit vectors spread like the real ones, shape (count, dimension)."""
    centre = real.mean(axis=0)
    _, spread, axes = np.linalg.svd(real - centre, full_matrices=False)
    factor = (spread[:, None] * axes / np.sqrt(max(len(real) - 1, 1)) * NOISE).astype(np.float32)
    made = np.empty((count, real.shape[1]), np.float32)
    for start in range(0, count, 50_000):
        part = made[start : start + 50_000]
        part[:] = real[rng.integers(len(real), size=len(part))]
        part += rng.standard_normal((len(part), len(factor)), dtype=np.float32) @ factor
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return made


def scale(real: Vectors, sizes: Sequence[int], seed: int = 0) -> Iterator[Scaled]:
    """Build and time each kind at each size. Sets FAISS to one thread for the process."""
    faiss.omp_set_num_threads(1)
    for size in sizes:
        rng = np.random.default_rng([seed, size])
        vectors, queries = make_vectors(real, size, rng), make_vectors(real, QUERIES, rng)
        _, exact = build_index(vectors, "flat").search(queries, 10)
        for kind in KINDS:
            if (kind == "hnsw" and size > LARGEST_HNSW) or (kind == "ivf" and size < 10_000):
                continue
            start = time.process_time()
            index = build_index(vectors, kind)
            built = time.process_time() - start
            times: list[float] = []
            found: list[float] = []
            for query in queries:
                start = time.process_time()
                _, numbers = index.search(query[None], 10)
                times.append(time.process_time() - start)
                found.append(len(np.intersect1d(numbers[0], exact[len(found)])) / 10)
            p50, p95 = (1000 * float(np.percentile(times, share)) for share in (50, 95))
            data = len(faiss.serialize_index(index)) / size
            yield Scaled(size, kind, built, data, p50, p95, float(np.mean(found)), kind == kind_for(size))
