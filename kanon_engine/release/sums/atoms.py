"""Atoms: the sets of items that no grouping divides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def atoms_of(groupings: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The atoms of groupings of the same items.

    Parameters
    ----------
    groupings : sequence of (n,) int arrays
        The class of each item, -1 for what a grouping leaves out.

    Returns
    -------
    choices : (m, groupings) int array
        The classes of each atom, in lexicographic order.
    numbers : (n,) int64 array
        The atom of each item.

    Example
    -------
    >>> choices, numbers = atoms_of([np.array([0, 0, 1]), np.array([-1, 0, 0])])
    >>> choices.tolist(), numbers.tolist()
    ([[0, -1], [0, 0], [1, 0]], [0, 1, 2])
    """
    columns = np.column_stack(groupings)
    choices, numbers = np.unique(columns, axis=0, return_inverse=True)
    return choices, numbers.reshape(-1)


def class_rows(choices: np.ndarray) -> list[np.ndarray]:
    """The atoms of each class of each grouping; what one leaves out is a class too, as the total is known.

    Example
    -------
    >>> [row.tolist() for row in class_rows(np.array([[0, -1], [0, 0], [1, 0]]))]
    [[0, 1], [2], [0], [1, 2]]
    """
    return [np.flatnonzero(side == number) for side in choices.T for number in np.unique(side).tolist()]
