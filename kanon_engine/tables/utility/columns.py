"""Each column by itself, before and after: its marginal distribution, and of numbers mean and quantiles."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kanon_engine.tables.domain import is_number
from kanon_engine.tables.utility.spread import Spread

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
MEAN = "mean"


def columns_frame(spread: Spread) -> pd.DataFrame:
    """One row a column: column, values, ranges, values_a_cell, difference."""
    rows = []
    for place, (name, domain) in enumerate(zip(spread.table.quasi_identifiers, spread.table.domains, strict=True)):
        ranges = len(np.unique(spread.ranges[:, place], axis=0))
        each = float(spread.weights @ spread.widths[:, place]) / spread.released
        difference = float(np.abs(spread.before(place) - spread.after(place)).sum() / 2)
        rows.append((name, len(domain), ranges, each, round(difference, 12)))
    return pd.DataFrame(rows, columns=["column", "values", "ranges", "values_a_cell", "difference"])


def numbers_frame(spread: Spread) -> pd.DataFrame:
    """One row a column of numbers and figure: column, figure, before, after; missing values are left out of them."""
    rows = []
    for place, (name, domain) in enumerate(zip(spread.table.quasi_identifiers, spread.table.domains, strict=True)):
        there = np.array([value is not None for value in domain])
        known = [value for value in domain if value is not None]
        if len(known) < 2 or not all(map(is_number, known)):
            continue
        values = np.array(known, dtype=float)
        order = np.argsort(values, kind="stable")
        sides = [figures(values[order], shares[there][order]) for shares in (spread.before(place), spread.after(place))]
        names = [MEAN, *(f"{100 * share:.0f} %" for share in QUANTILES)]
        rows += [(name, figure, *pair) for figure, pair in zip(names, zip(*sides, strict=True), strict=True)]
    return pd.DataFrame(rows, columns=["column", "figure", "before", "after"]).astype({"before": float, "after": float})


def figures(values: np.ndarray, shares: np.ndarray) -> list[float]:
    """Mean and quantiles; a quantile is the least value that so much is not above.

    Example
    -------
    >>> figures(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25, 0.25]))
    [1.75, 1.0, 1.0, 1.0, 2.0, 3.0]
    """
    total = shares.sum()
    if not total > 0:
        return [float("nan")] * (1 + len(QUANTILES))
    reached = np.cumsum(shares) / total
    places = np.minimum(np.searchsorted(reached, np.array(QUANTILES) - 1e-9), len(values) - 1)
    return [float(values @ shares / total), *values[places].tolist()]
