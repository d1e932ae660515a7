"""What any boxes of a table cost at least, and any partition at all; proofs: docs/proofs/tables/boxes.md."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.tables.boxes.kernels import BoxProblem
from kanon_engine.tables.metrics import NAMES
from kanon_engine.tables.metrics.kernels import CLASSIFICATION, LOSS
from kanon_engine.verification.table_costs import equal_together, nearest_company, sizes_alone

TOGETHER, FINEST, COMPANY, SIZES = "equal tuples together", "finest generalization", "nearest company", "sizes alone"


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
    sizes = problem.weights
    if problem.metric == CLASSIFICATION:
        return Bound(int((sizes - problem.labels.max(axis=1)).sum()), FINEST)
    if problem.metric == LOSS:
        points = np.take_along_axis(problem.places.T, problem.codes.astype(np.int64), axis=0)
        return Bound(nearest_company(list(points.T), sizes, problem.k), COMPANY)
    return Bound(equal_together(NAMES[problem.metric], sizes, problem.k), TOGETHER)


def partition_bound(problem: BoxProblem) -> Bound:
    """No partition into classes of at least k costs less, also one that takes equal tuples apart."""
    if problem.metric == LOSS:
        return box_bound(problem)
    return Bound(sizes_alone(NAMES[problem.metric], int(problem.weights.sum()), problem.k), SIZES)
