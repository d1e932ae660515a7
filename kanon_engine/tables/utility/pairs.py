"""How much columns tell of each other, before and after: Cramér's V."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from kanon_engine.tables.utility.spread import Spread

MOST_PARTS = 20  # longer domains are put into so many parts, with about as many records each


def pairs_frame(spread: Spread) -> pd.DataFrame:
    """One row a pair of columns: first, second, before, after.

    Domains of more than 20 values are cut into 20 parts in their order, the same before and after, since V grows with
    the number of cells where records are few.
    """
    table = spread.table
    parts = [parts_of(table.codes[:, place], len(domain)) for place, domain in enumerate(table.domains)]
    shares = [shares_of(spread.ranges[:, place], part) for place, part in enumerate(parts)]
    rows = []
    for one, other in combinations(range(len(parts)), 2):
        wide = int(parts[other].max()) + 1
        numbers = parts[one][table.codes[:, one]] * wide + parts[other][table.codes[:, other]]
        before = np.bincount(numbers, minlength=(int(parts[one].max()) + 1) * wide).reshape(-1, wide)
        after = (shares[one] * spread.weights[:, None]).T @ shares[other]
        names = table.quasi_identifiers[one], table.quasi_identifiers[other]
        rows.append((*names, round(cramers_v(before), 12), round(cramers_v(after), 12)))
    return pd.DataFrame(rows, columns=["first", "second", "before", "after"]).astype({"before": float, "after": float})


def parts_of(codes: np.ndarray, size: int) -> np.ndarray:
    """(size,): which part of the domain each value is in.

    Example
    -------
    >>> parts_of(np.array([0, 1, 1, 2]), 3).tolist()
    [0, 1, 2]
    """
    if size <= MOST_PARTS:
        return np.arange(size)
    counts = np.bincount(codes, minlength=size)
    middle = np.cumsum(counts) - counts / 2
    part = (middle / len(codes) * MOST_PARTS).astype(np.int64).clip(0, MOST_PARTS - 1)
    return np.unique(part, return_inverse=True)[1].reshape(-1)


def shares_of(ranges: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """(m, parts): how much of each class's range is in each part."""
    inside = np.zeros((len(parts) + 1, int(parts.max()) + 1))
    inside[np.arange(1, len(parts) + 1), parts] = 1
    upto = np.cumsum(inside, axis=0)
    first, last = ranges.T
    shares: np.ndarray = (upto[last + 1] - upto[first]) / (last - first + 1)[:, None]
    return shares


def cramers_v(counts: np.ndarray) -> float:
    """Cramér's V of a table of counts; 0 where a column has one value.

    Example
    -------
    >>> cramers_v(np.array([[5, 0], [0, 3]])), cramers_v(np.array([[2, 2], [2, 2]])), cramers_v(np.array([[4, 4]]))
    (1.0, 0.0, 0.0)
    """
    counts = counts[counts.sum(axis=1) > 1e-9][:, counts.sum(axis=0) > 1e-9].astype(float)
    if min(counts.shape) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi = float(((counts - expected) ** 2 / expected).sum())
    return min(float(np.sqrt(chi / (counts.sum() * (min(counts.shape) - 1)))), 1.0)
