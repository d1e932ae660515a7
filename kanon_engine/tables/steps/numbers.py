"""Numbers of the classes on the way to a result, so that a class that stays keeps its number."""

from __future__ import annotations

import numpy as np


def numbered(groups: np.ndarray, final: np.ndarray) -> np.ndarray:
    """(n,) int32: groups of records by the numbers of the classes that they are or end in, as far as these are free.

    Parameters
    ----------
    groups : (n,) int
        The group of each record, -1 for none.
    final : (n,) int
        The class of each record in the result.

    Example
    -------
    >>> numbered(np.array([7, 7, 4, -1, 4]), np.array([1, 1, 0, 0, 2])).tolist()
    [1, 1, 0, -1, 0]
    >>> numbered(np.array([1, 2, 3]), np.array([0, 0, 0])).tolist()
    [0, 1, 2]
    """
    names, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    none = np.iinfo(np.int32).max
    least, most = np.full(len(names), none), np.full(len(names), -1)
    np.minimum.at(least, place, np.where(final >= 0, final, none))
    np.maximum.at(most, place, np.where(final >= 0, final, none))
    first = np.full(len(names), len(groups))
    np.minimum.at(first, place, np.arange(len(groups)))
    ends = np.bincount(final[final >= 0])
    same = (least == most) & (least < none)
    same[same] = sizes[same] == ends[least[same]]
    own = np.full(len(names), -1, dtype=np.int32)
    taken: set[int] = set()
    free = len(ends)
    for group in np.lexsort((first, least, ~same)).tolist():  # those that are classes already first
        if names[group] < 0:
            continue
        number = int(least[group])
        if number in taken or number == none:
            number, free = free, free + 1
        taken.add(number)
        own[group] = number
    return own[place]
