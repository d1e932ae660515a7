"""What each class of a table shows, as ranges of positions in the domains, whatever made it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.tables.instance import BoxDetails, CellDetails, Table


def shown_ranges(table: Table, g: Generalization) -> np.ndarray:
    """(m, q, 2) int64: first and last position in each domain for which the records of each class may stand.

    A hidden cell stands for the whole domain.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [1, 2, 3, 4], "sex": list("ffmm")}), ["age", "sex"])
    >>> shown_ranges(table, kanon.generalize(table, 2, "cell-suppression")).tolist()
    [[[0, 3], [0, 0]], [[0, 3], [1, 1]]]
    """
    details: Any = g.details
    if isinstance(details, BoxDetails):
        return np.stack([details.low, details.high], axis=2).astype(np.int64)
    sizes = np.array([len(domain) for domain in table.domains])
    first = np.zeros(g.classes, dtype=np.int64)
    inside = np.flatnonzero(g.assignment >= 0)[::-1]
    first[g.assignment[inside]] = inside  # a record of each class; all of them show the same
    codes = table.codes[first].astype(np.int64)
    if isinstance(details, CellDetails):
        return np.stack([np.where(details.stars, 0, codes), np.where(details.stars, sizes - 1, codes)], axis=2)
    ranges = np.empty((g.classes, len(sizes), 2), dtype=np.int64)
    for place, name in enumerate(table.quasi_identifiers):
        ends = np.cumsum([len(interval) for interval in details.intervals[name]])
        number = np.searchsorted(ends, codes[:, place], side="right")
        ranges[:, place, 0] = np.where(number, ends[number - 1], 0)
        ranges[:, place, 1] = ends[number] - 1
    return ranges
