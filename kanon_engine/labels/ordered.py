"""The best partition of ordered labels into intervals, for ages, dates or incomes."""

from __future__ import annotations

import re

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.ordered_kernels import even_cuts, least_cap
from kanon_engine.labels.packing import bin_outcome
from kanon_engine.model.run import Outcome, Run

EFFORT = 200_000_000  # pairs of start and end of an interval, about a fifth of a second
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def ordered(labels: Labels, k: int, run: Run, *, by: str) -> Outcome:
    """Intervals of an order, with the smallest possible largest interval.

    Guarantee: no partition into intervals of this order, each of weight >= k, has a smaller largest class; and
    cost <= 2 (k - 1) + h with h the heaviest label. Proof: docs/proofs/labels/ordered.md. A partition that is not into
    intervals may be better, so "optimal" is reported only if the cost meets the lower bound on any partition.

    Among the partitions with that largest interval, one with the least sum of squares is taken, within `EFFORT`.

    Returns: `details` is a `BinDetails` whose order is the one that was cut.

    Complexity
    ----------
    O(n log(n + k + h)), and the second pass.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 1: generalization of ordered data by dynamic programming.

    >>> ages = Labels([30, 10, 20, 40], [5, 4, 3, 6])
    >>> ordered(ages, 6, Run(), by="number").assignment.tolist()
    [1, 0, 0, 1]
    """
    order = order_of(labels, by)
    prefix = np.concatenate([[0], np.cumsum(labels.counts[order])])
    heaviest = int(labels.counts.max())
    ceiling = min(labels.total, 2 * (k - 1) + heaviest)
    cap = least_cap(prefix, k, max(k, heaviest), ceiling)
    ends = np.empty(len(labels), dtype=np.int64)
    count = even_cuts(prefix, k, cap, EFFORT, ends)
    bins = np.repeat(np.arange(count), np.diff(ends[:count], prepend=0))
    run.goes_on(1.0, int(cap), None, "the best intervals have been found")
    return bin_outcome(order, bins, k, f"the best intervals by {by} order", guarantee=ceiling)


def order_of(labels: Labels, by: str) -> np.ndarray:
    """Positions in the order "given", "number" or "name"; ties as given.

    >>> order_of(Labels(["10", "9", "1e1"], [1, 1, 1]), "number").tolist()
    [1, 0, 2]
    """
    if by == "given":
        return np.arange(len(labels))
    names = [str(name) for name in labels.names]
    if by == "name":
        return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    for position, name in enumerate(names):
        if not NUMBER.fullmatch(name.strip()):
            raise InvalidInput(
                f"Label {position + 1} is called {name!r}, which is not a number, so the labels cannot be sorted by "
                "number; choose the given order or the order by name, or leave that label out."
            )
    # whole numbers stay whole: beyond 2^53 a float would make different names equal
    keys = [int(name) if re.fullmatch(r"\s*[+-]?\d+\s*", name) else float(name) for name in names]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
