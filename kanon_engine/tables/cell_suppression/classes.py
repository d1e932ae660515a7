"""What groups of records show when single cells are suppressed."""

from __future__ import annotations

import numpy as np

from kanon_engine.tables.cell_suppression.patterns import Patterns
from kanon_engine.tables.instance import Table


def shown_classes(table: Table, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class of each row and the stars of each class, in the order of what the classes show, stars first.

    Parameters
    ----------
    table : Table
    group : (n,) int array
        Rows of a group agree on what is not suppressed in it; groups that show the same become one class.
    """
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) != 0]))
    lowest = np.minimum.reduceat(table.codes[order], begins, axis=0)
    highest = np.maximum.reduceat(table.codes[order], begins, axis=0)
    shown, number = np.unique(np.where(lowest == highest, lowest, -1), axis=0, return_inverse=True)
    place = np.searchsorted(group[order][begins], group)
    return number.reshape(-1)[place].astype(np.int32), shown == -1


def attached_classes(table: Table, patterns: Patterns, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`shown_classes` of rows whose records are attached to patterns, so many of each item as `counts` says."""
    used = np.flatnonzero(counts)
    if patterns.whole:
        owners = np.empty(len(table), dtype=np.int64)
        owners[patterns.members[used]] = patterns.owners[used]
        return shown_classes(table, owners)
    used = used[np.lexsort((patterns.owners[used], patterns.members[used]))]
    pattern = np.empty(len(table), dtype=np.int64)
    pattern[np.argsort(table.tuples[2], kind="stable")] = np.repeat(patterns.owners[used], counts[used])
    return shown_classes(table, pattern)
