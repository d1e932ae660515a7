"""A weighted table as the records that it stands for, a row each, for what looks at records and not at rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.tables.instance import Table

MOST_ROWS = 5_000_000  # rows that are made of a weighted table


def record_rows(table: Table, kept: np.ndarray | None = None) -> np.ndarray:
    """(records,) int64: the row of each record, in the order of the rows; of those `kept` alone where they are given.

    Raises
    ------
    InvalidInput
        A weighted table of more than `MOST_ROWS` records.

    Example
    -------
    >>> import pandas as pd
    >>> record_rows(Table(pd.DataFrame({"age": [30, 41]}), ["age"], weights=[2, 3])).tolist()
    [0, 0, 1, 1, 1]
    """
    rows = np.arange(len(table)) if kept is None else kept
    if not table.weighted:
        return rows
    why = too_many(table)
    if why:
        raise InvalidInput(why)
    return np.repeat(rows, table.weights[rows])


def too_many(table: Table) -> str:
    """Why the records are not looked at one by one, a sentence; "" where they can be.

    Example
    -------
    >>> import pandas as pd
    >>> too_many(Table(pd.DataFrame({"age": [30]}), ["age"], weights=[3])) == ""
    True
    """
    if not table.weighted or table.total <= MOST_ROWS:
        return ""
    return (
        f"The {len(table):,} rows stand for {table.total:,} {table.unit}, too many to be looked at one by one (at most "
        f"{MOST_ROWS:,}); release and audit them where they live (docs/records.md)."
    )


def expanded(table: Table) -> Table:
    """The table with a row for each record; itself where it is not weighted.

    Example
    -------
    >>> import pandas as pd
    >>> expanded(Table(pd.DataFrame({"age": [30, 41]}), ["age"], weights=[2, 3])).frame["age"].tolist()
    [30, 30, 41, 41, 41]
    """
    return replace(table, frame=table.frame.iloc[record_rows(table)], weights=None) if table.weighted else table


def one_by_one(table: Table, g: Generalization) -> tuple[Table, Generalization]:
    """`expanded`, and its result: each record in the class of its row.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [30, 41]}), ["age"], weights=[2, 3])
    >>> people, g = one_by_one(table, kanon.generalize(table, 2))
    >>> len(people), g.assignment.tolist(), kanon.verify(people, g).proof
    (5, [0, 0, 1, 1, 1], 'checked')
    """
    if not table.weighted:
        return table, g
    people = expanded(table)
    own = replace(g, assignment=g.assignment[record_rows(table)], instance_digest=people.digest)
    return people, own.sealed()
