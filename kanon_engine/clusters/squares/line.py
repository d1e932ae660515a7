"""One column: the best of all clusterings, by a shortest path over sorted values."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.model.run import Run

LINE = 20_000_000  # points times k for which it is searched
REPORTS = 20


def best_on_a_line(values: np.ndarray, k: int, run: Run) -> np.ndarray | None:
    """The class of each value, in a clustering of at least k each with the least sum of squares; None if stopped.

    An optimal clustering has classes that are consecutive in the order of the values and hold at most 2k - 1 of them.
    All is worked out in whole numbers. Among equally good clusterings it is the one whose last class is the smallest,
    then the one before it, and so on.

    Parameters
    ----------
    values : (n,) float64 array
    k : int
        At most n.
    run : Run

    Complexity
    ----------
    O(n k) operations on long whole numbers.

    References
    ----------
    Hansen, Mukherjee 2003, A polynomial algorithm for optimal univariate microaggregation.

    Example
    -------
    >>> best_on_a_line(np.array([9.0, 1.0, 2.0, 8.0, 3.0]), 2, Run()).tolist()
    [1, 0, 0, 1, 0]
    """
    order = np.argsort(values, kind="stable")
    whole = whole_values(values[order].tolist())
    first, second = [0], [0]
    for value in whole:
        first.append(first[-1] + value)
        second.append(second[-1] + value * value)
    sizes = range(k, min(2 * k, len(whole) + 1))
    common = math.lcm(*sizes)
    shares = {size: common // size for size in sizes}
    best: list[int | None] = [0] + [None] * len(whole)
    chosen = [0] * (len(whole) + 1)
    for end in range(k, len(whole) + 1):
        if end % (len(whole) // REPORTS + 1) == 0 and not run.goes_on(end / len(whole), None, None, "shortest path"):
            return None
        for size in sizes:
            before = best[end - size] if size <= end else None
            if before is None:
                continue
            total = first[end] - first[end - size]
            cost = before + (size * (second[end] - second[end - size]) - total * total) * shares[size]
            least = best[end]
            if least is None or cost < least:
                best[end], chosen[end] = cost, size
    ends = [len(whole)]
    while ends[-1] > 0:
        ends.append(ends[-1] - chosen[ends[-1]])
    assignment = np.empty(len(whole), dtype=np.int64)
    assignment[order] = np.repeat(np.arange(len(ends) - 1), np.diff(ends[::-1]))
    return assignment


def whole_values(values: list[float]) -> list[int]:
    """The values times the least power of two that makes them whole."""
    ratios = [value.as_integer_ratio() for value in values]
    unit = max(below for _, below in ratios)
    return [above * (unit // below) for above, below in ratios]
