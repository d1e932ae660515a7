"""What any boxes of a table cost at least, and any partition at all; proofs: docs/proofs/tables/boxes.md."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.bound import Bound
from kanon_engine.tables.boxes.kernels import BoxProblem
from kanon_engine.tables.metrics.kernels import AVERAGE, CLASSIFICATION, DISCERNIBILITY, LOSS

TOGETHER, FINEST, COMPANY, SIZES = "equal tuples together", "finest generalization", "nearest company", "sizes alone"
ROUNDS = 2  # in which what the company costs is counted too
PAIRS = 4_000_000  # of a tuple and its nearest


def box_bound(problem: BoxProblem) -> Bound:
    """No boxes that leave nobody out cost less: equal tuples are in one box.

    Example
    -------
    >>> import pandas as pd
    >>> from kanon_engine.tables.boxes.problem import problem_of
    >>> from kanon_engine.tables.instance import Table
    >>> ages = Table(pd.DataFrame({"age": [1, 1, 1, 2, 5, 7, 9]}), ["age"])
    >>> [box_bound(problem_of(ages, 2, metric)).value for metric in ("DM", "AVG", "LM")]
    [17, 1, 4]
    """
    sizes, k = problem.weights, problem.k
    if problem.metric == DISCERNIBILITY:
        return Bound(_squares_together(sizes, k), TOGETHER)
    if problem.metric == AVERAGE:
        total = int(sizes.sum())
        return Bound(total - k * (int(np.minimum(sizes, k).sum()) // k), TOGETHER)
    if problem.metric == CLASSIFICATION:
        return Bound(int((sizes - problem.labels.max(axis=1)).sum()), FINEST)
    return Bound(_losses(problem), COMPANY)


def partition_bound(problem: BoxProblem) -> Bound:
    """No partition into classes of at least k costs less, also one that takes equal tuples apart."""
    if problem.metric == LOSS:
        return box_bound(problem)
    return Bound(sizes_bound(problem.metric, int(problem.weights.sum()), problem.k), SIZES)


def sizes_bound(metric: int, total: int, k: int) -> int:
    """What so many records cost at least in classes of k or more, whatever they show; 0 where sizes say nothing.

    Example
    -------
    >>> [sizes_bound(metric, 7, 2) for metric in (DISCERNIBILITY, AVERAGE, CLASSIFICATION)]
    [17, 1, 0]
    """
    if metric == DISCERNIBILITY:
        return int(least_squares(np.array([total]), k)[0])
    return total % k if metric == AVERAGE else 0


def least_squares(weights: np.ndarray, k: int) -> np.ndarray:
    """The least sum of squares of parts of each weight that are at least k; a weight is 0 or at least k."""
    parts = np.maximum(weights // k, 1)
    size, larger = weights // parts, weights % parts
    return (parts - larger) * size**2 + larger * (size + 1) ** 2


def _squares_together(sizes: np.ndarray, k: int) -> int:
    """Of tuples with k records each joins the least with some of the others, and these make even classes."""
    heavy = sizes[sizes >= k]
    rest = int(sizes.sum() - heavy.sum())
    if len(heavy) == 0:
        return int(least_squares(np.array([rest]), k)[0])
    least = int(heavy.min())
    # one more joins as long as the classes of the rest are larger than that tuple; more than the rest of a division
    # never pays
    joining = min(max(rest - rest // k * (least + 1), 0), rest % k) if rest >= k else rest
    return int((heavy**2).sum()) + (2 * least + 1) * joining + int(least_squares(np.array([rest - joining]), k)[0])


def _losses(problem: BoxProblem) -> int:
    """Each record's loss is at least how far its k-th nearest lies, and what these need themselves."""
    from scipy.spatial import KDTree

    points = np.take_along_axis(problem.places.T, problem.codes.astype(np.int64), axis=0).astype(float)
    count = min(2 * problem.k, len(points), max(PAIRS // len(points), 1))
    far, near = KDTree(points).query(points, k=[*range(1, count + 1)], p=1)
    least = np.zeros(len(points))
    for _ in range(1 + ROUNDS):
        needs = np.maximum(far, least[near])
        order = np.argsort(needs, axis=1, kind="stable")
        together = np.take_along_axis(problem.weights[near], order, axis=1).cumsum(axis=1)
        sorted_needs = np.take_along_axis(needs, order, axis=1)
        needed = np.where(together >= problem.k, sorted_needs, np.inf).min(axis=1)
        beyond = far[:, -1] if count < len(points) else np.full(len(points), np.inf)  # all others are so far at least
        least = np.maximum(least, np.minimum(needed, beyond))
    return int((least.astype(np.int64) * problem.weights).sum())
