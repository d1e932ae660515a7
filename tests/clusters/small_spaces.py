"""Small metric spaces of all kinds: ties, duplicates, all equal, collinear, missing values, counts."""

import numpy as np
import pandas as pd

import kanon_engine as kanon

KINDS = ("grid", "plane", "line", "equal", "globe", "hamming", "gower", "matrix")


def small_space(rng, most=8, counts=None, kinds=KINDS):
    """One of a random kind; `counts` says whether points stand for several records, by chance where it is None."""
    n = int(rng.integers(1, most + 1))
    kind = kinds[int(rng.integers(len(kinds)))]
    several = rng.random() < 0.3 if counts is None else counts
    weights = rng.integers(1, 5, n) if several else None
    if kind == "grid":
        return kanon.MetricSpace(rng.integers(0, 4, (n, 2)), counts=weights)
    if kind == "plane":
        return kanon.MetricSpace(rng.normal(size=(n, 2)), counts=weights)
    if kind == "line":
        return kanon.MetricSpace(np.column_stack([rng.integers(0, 20, n)] * 2), counts=weights)
    if kind == "equal":
        return kanon.MetricSpace(np.ones((n, 2)), counts=weights)
    if kind == "globe":
        places = np.column_stack([rng.uniform(-10, 10, n), rng.uniform(40, 50, n)])
        return kanon.MetricSpace(places, "haversine", counts=weights)
    if kind == "hamming":
        return kanon.MetricSpace(rng.integers(0, 3, (n, 4)).astype(str), "hamming", counts=weights)
    if kind == "gower":
        ages = np.where(rng.random(n) < 0.2, np.nan, rng.integers(18, 60, n))
        jobs = rng.choice(["nurse", "cook", "clerk", None], n)
        return kanon.MetricSpace(pd.DataFrame({"age": ages, "job": jobs}), "gower", counts=weights)
    matrix = rng.integers(1, 10, (n, n)).astype(float)
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    for middle in range(n):
        matrix = np.minimum(matrix, matrix[:, middle, None] + matrix[middle])
    np.fill_diagonal(matrix, 0)
    return kanon.MetricSpace(matrix, "precomputed", counts=weights, triangle=True)
