"""Counts that somebody could ask of the table, answered from its release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.shown import Shown
from kanon_engine.tables.utility.spread import Spread

COUNT = 1_000
MOST_COLUMNS = 3
LEAST_SHARE = 0.001  # of all records: what an error is at least compared with, for a few records are always off by much


@dataclass(frozen=True, eq=False, repr=False)
class Queries(Shown):
    """How far answers from a release are off.

    A query asks how many records lie in a range of one, two or three columns, each drawn at random; the ends of a range
    are the values of two records drawn at random. Its error is how far the answer from the release is off, divided by
    the true answer, or by a thousandth of all records where that is more.

    Attributes
    ----------
    frame : DataFrame
        One row a query: columns (names), true (records), told (by the release), error.
    """

    frame: pd.DataFrame

    @property
    def mean(self) -> float:
        return float(self.frame["error"].mean())

    @property
    def median(self) -> float:
        return float(self.frame["error"].median())

    @property
    def ninth(self) -> float:
        """What nine in ten errors are not above."""
        return float(self.frame["error"].quantile(0.9))

    def _facts(self) -> dict[str, object]:
        return {"queries": len(self.frame), "median error": self.median, "mean error": self.mean}


def query_errors(spread: Spread, seed: int, count: int = COUNT) -> Queries:
    """Draw queries, and answer each from the records and from the release."""
    table = spread.table
    chance = np.random.default_rng(seed)
    distinct, counts, _ = table.tuples
    weights = counts.sum(axis=1)
    rows = []
    for _ in range(count):
        wide = int(chance.integers(1, min(MOST_COLUMNS, len(table.quasi_identifiers)) + 1))
        places = np.sort(chance.choice(len(table.quasi_identifiers), wide, replace=False))
        ends = np.sort(table.codes[chance.integers(0, len(table), 2)][:, places], axis=0)
        inside = ((distinct[:, places] >= ends[0]) & (distinct[:, places] <= ends[1])).all(axis=1)
        true = int(weights[inside].sum())
        told = answer(spread, places, ends)
        error = abs(told - true) / max(true, LEAST_SHARE * len(table))
        rows.append((", ".join(table.quasi_identifiers[place] for place in places), true, told, error))
    return Queries(pd.DataFrame(rows, columns=["columns", "true", "told", "error"]))


def answer(spread: Spread, places: np.ndarray, ends: np.ndarray) -> float:
    """How many records the release tells to be between these ends in these columns."""
    low, high = spread.ranges[:, places, 0], spread.ranges[:, places, 1]
    common = np.minimum(high, ends[1]) - np.maximum(low, ends[0]) + 1
    shares = np.maximum(common, 0) / spread.widths[:, places]
    return float(spread.weights @ shares.prod(axis=1))
