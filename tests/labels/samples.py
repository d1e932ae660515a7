"""Labels that several tests share."""

import numpy as np

import kanon_engine as kanon

HARD = np.random.default_rng(4).integers(500, 1000, 30).tolist()  # no bound is met here for k = 2,500


def small_instances(number, seed=0):
    generator = np.random.default_rng(seed)
    for _ in range(number):
        n = int(generator.integers(1, 10))
        k = int(generator.integers(1, 15))
        counts = generator.integers(1, int(generator.integers(2, 2 * k + 3)), n).tolist()
        if sum(counts) >= k:
            yield counts, k


def labels_of(counts):
    return kanon.Labels([f"label {place}" for place in range(len(counts))], counts)
