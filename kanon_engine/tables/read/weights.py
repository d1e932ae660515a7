"""Rows of a file that stand for several records, by a column of counts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import counts_of, thousands_told
from kanon_engine.validate import known_column


def weighed(
    frame: pd.DataFrame, weight: str | None, where: str
) -> tuple[pd.DataFrame, np.ndarray | None, tuple[str, ...]]:
    """The rows that stand for somebody, without the column of counts; for how many each stands; what was odd.

    Parameters
    ----------
    frame : DataFrame
    weight : str or None
        The column; each row is one record where it is None.
    where : str
        The file, for sentences.

    Example
    -------
    >>> rows = pd.DataFrame({"age": [30, 41, 50], "people": ["1,200", "0", "7"]})
    >>> frame, weights, notes = weighed(rows, "people", "ages.csv")
    >>> frame["age"].tolist(), weights.tolist(), notes[-1]
    ([30, 50], [1200, 7], '1 of 3 rows has a count of 0 and was left out.')
    """
    if weight is None:
        return frame, None, ()
    known_column(list(frame.columns), weight, "weight")
    counts = counts_of(frame[weight], f"counts in column “{weight}”", where)
    some = counts > 0
    if not some.any():
        raise InvalidInput(f"Every count in column “{weight}” of {where} is 0; choose a column with counts.")
    notes = thousands_told(frame[weight])
    empty = int((~some).sum())
    if empty:
        verbs = "has a count of 0 and was" if empty == 1 else "have a count of 0 and were"
        notes = [*notes, f"{empty:,} of {len(frame):,} rows {verbs} left out."]
    return frame.loc[some].drop(columns=weight).reset_index(drop=True), counts[some], tuple(notes)


def once_or_twice(frame: pd.DataFrame, weights: np.ndarray | None) -> pd.DataFrame:
    """Each row that stands for several records twice, so that what one record only has can be told from other values.

    Example
    -------
    >>> once_or_twice(pd.DataFrame({"age": [30, 41]}), np.array([5, 1]))["age"].tolist()
    [30, 30, 41]
    """
    if weights is None:
        return frame
    return frame.iloc[np.repeat(np.arange(len(frame)), np.minimum(weights, 2))].reset_index(drop=True)
