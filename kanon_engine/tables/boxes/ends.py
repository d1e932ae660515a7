"""Where the shown ends of boxes lie: numbers end at round limits, so that no end is known to be somebody's number."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.tables.instance import Table

MOST_STEPS = 20  # between the least and the greatest number
LARGE, SMALL, TENS = 1e300, 1e-290, 1e10  # beyond these, numbers are taken so many times smaller or larger


def rounded_out(table: Table, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boxes with their ends in columns of numbers moved outwards to the next round limits, or to another box.

    The limits are those of the whole column, so an end tells no more than between which of them the last number lies,
    and where another box is in the way, that it does. Where a person gave the order of a column, its values are public
    and its ends stay.

    Parameters
    ----------
    table : Table
    low, high : (m, q) int32
        Positions in the domains.

    Returns
    -------
    low, high : (m, q) int32
        Boxes that did not meet do not meet.
    """
    low, high = low.copy(), high.copy()
    for column, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        numbers = [value for value in domain if value is not None]
        if table.is_ordered(name) or not all(type(value) in (int, float) for value in numbers) or len(numbers) < 2:
            continue
        first, last = step_limits([float(value) for value in numbers])  # type: ignore[arg-type]
        missing = len(domain) - len(numbers)  # a missing value is the last of its domain, and no number
        lone = np.arange(len(numbers), len(numbers) + missing, dtype=np.int32)
        let_out(low, high, column, np.append(first, lone), np.append(last, lone))
    return low, high


def step_limits(numbers: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """For each of ascending numbers the first and the last position within the same round limits.

    Example
    -------
    >>> [limits.tolist() for limits in step_limits([17, 18, 19, 20, 24, 90])]
    [[0, 0, 0, 3, 3, 5], [2, 2, 2, 4, 4, 5]]
    """
    values = np.array(numbers)
    if np.abs(values).max() > LARGE:  # what lies between two of them may be more than a float holds
        values = values / TENS
    if values[-1] - values[0] < SMALL:  # a part of that may be less than a float holds
        values = values * TENS
    reach = float(values[-1] - values[0])
    if reach == 0:  # whole numbers that are one as floats
        cells = np.zeros(len(values))
    else:
        power = 10.0 ** math.floor(math.log10(reach / MOST_STEPS))
        step = next(part * power for part in (1, 2, 5, 10) if reach / (part * power) <= MOST_STEPS * (1 + 1e-9))
        cells = np.floor(values / step + 1e-9)
    first = np.searchsorted(cells, cells, "left")
    last = np.searchsorted(cells, cells, "right") - 1
    return first.astype(np.int32), last.astype(np.int32)


def let_out(low: np.ndarray, high: np.ndarray, column: int, first: np.ndarray, last: np.ndarray) -> None:
    """Move the ends of all boxes in a column to `first` and `last` of where they lie, or to the next box; in place."""
    own_low, own_high = low[:, column], high[:, column]
    others = np.arange(low.shape[1]) != column
    for box in np.flatnonzero((first[own_low] < own_low) | (last[own_high] > own_high)):
        least, most = first[own_low[box]], last[own_high[box]]
        near = np.flatnonzero((own_high >= least) & (own_low <= most))
        beside = ((low[near] <= high[box]) & (high[near] >= low[box]))[:, others].all(axis=1)
        near = near[beside]
        below, above = near[own_high[near] < own_low[box]], near[own_low[near] > own_high[box]]
        own_low[box] = max(least, own_high[below].max(initial=-1) + 1)
        own_high[box] = min(most, own_low[above].min(initial=np.iinfo(np.int32).max) - 1)
