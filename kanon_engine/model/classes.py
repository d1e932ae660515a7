"""The classes of a partition, as positions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def members_of(assignment: np.ndarray, classes: int | None = None) -> list[np.ndarray]:
    """The positions in each class, ascending.

    Parameters
    ----------
    assignment : (n,) int array
        Class of each item, 0 … m - 1; -1 for an item in none.
    classes : int, optional
        How many there are, where the last ones may be empty; up to the largest number when None.

    Example
    -------
    >>> [own.tolist() for own in members_of(np.array([1, 0, 1, -1]))]
    [[1], [0, 2]]
    """
    count = int(assignment.max(initial=-1)) + 1 if classes is None else classes
    order = np.argsort(assignment, kind="stable")
    ends = np.searchsorted(assignment[order], np.arange(count + 1)).tolist()
    return [order[begin:end] for begin, end in pairwise(ends)]
