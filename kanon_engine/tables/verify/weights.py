"""How many records there are, for the checks: a row of a table may stand for several."""

from __future__ import annotations

import numpy as np

from kanon_engine.tables.instance import Table


def records_in(table: Table, numbers: np.ndarray, count: int = 0) -> np.ndarray:
    """(m,) int64: records in each set; `numbers` is the set of each row, from 0 to below `count` at least."""
    sizes = np.zeros(max(count, int(numbers.max(initial=-1)) + 1), dtype=np.int64)
    np.add.at(sizes, numbers, table.weights)
    return sizes


def equal_tuples(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tuples that occur, the number of each row's, and how many records have each.

    Example
    -------
    >>> import pandas as pd
    >>> equal_tuples(Table(pd.DataFrame({"age": [30, 41, 30]}), ["age"], weights=[2, 5, 1]))[2].tolist()
    [3, 5]
    """
    tuples, number = np.unique(table.codes, axis=0, return_inverse=True)
    number = number.reshape(-1)
    return tuples, number, records_in(table, number)
