"""Cuts that part no class: they cost nothing, and what is shown is finer by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.tables.cuts.problem import assignment_of, cut_groups, interval_codes
from kanon_engine.tables.instance import Table
from kanon_engine.tables.requirements import encoded
from kanon_engine.tables.requirements.kernels import Required, which_hold


def with_free_cuts(
    table: Table, k: int, heads: np.ndarray, require: Sequence[Diversity | Closeness] = ()
) -> np.ndarray:
    """(a,) bool: these cuts and all that can be added to them while every class keeps its records.

    Nobody is left out besides, and nobody comes back. Proof: docs/proofs/tables/k_optimize.md, cuts that part no class.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"zip": ["a", "a", "b", "b"], "age": [20, 20, 50, 50]}), ["zip", "age"])
    >>> with_free_cuts(table, 2, np.array([True, False])).tolist()
    [True, True]
    """
    assignment = assignment_of(table, k, heads, require)
    groups, above = cut_groups(table)
    free = np.ones(len(above), dtype=bool)
    free[groups[_parting(table, assignment)]] = False
    for group, parent in enumerate(above.tolist()):  # a group above has a smaller number
        free[group] &= parent < 0 or free[parent]
    returning = _Returning(table, k, assignment, heads, require)
    if not returning.any(free[groups]):
        return free[groups]
    held = np.zeros(len(above), dtype=bool)
    held[groups[heads]] = True
    added = True
    while added:
        added = False
        for group in np.flatnonzero(free & ~held).tolist():
            if above[group] >= 0 and not held[above[group]]:
                continue
            held[group] = True
            if returning.any(held[groups]):
                held[group] = False
            else:
                added = True
    return held[groups]


def _parting(table: Table, assignment: np.ndarray) -> np.ndarray:
    """(a,) bool: the cut values that some class has records on both sides of."""
    kept = assignment >= 0
    classes = int(assignment.max()) + 1
    parting = np.zeros(len(table.cut_values), dtype=bool)
    for column, domain in enumerate(table.domains):
        low, high = np.full(classes, len(domain)), np.zeros(classes, dtype=np.int64)
        np.minimum.at(low, assignment[kept], table.codes[kept, column])
        np.maximum.at(high, assignment[kept], table.codes[kept, column])
        change = np.zeros(len(domain) + 2, dtype=np.int64)
        np.add.at(change, low + 1, 1)
        np.add.at(change, high + 1, -1)
        own = table.cut_values[:, 0] == column
        parting[own] = change.cumsum()[table.cut_values[own, 1]] > 0
    return parting


class _Returning:
    """Whether records that are left out for what is required would be kept with other cuts."""

    def __init__(
        self,
        table: Table,
        k: int,
        assignment: np.ndarray,
        heads: np.ndarray,
        require: Sequence[Diversity | Closeness],
    ) -> None:
        self.table, self.k = table, k
        self.rows = np.zeros(0, dtype=np.int64)
        if require:
            self.required: Required = encoded(table, require)
            numbers = np.unique(interval_codes(table, heads), axis=0, return_inverse=True)[1].reshape(-1)
            enough = np.bincount(numbers, table.weights)[numbers] >= k
            self.rows = np.flatnonzero(enough & (assignment < 0))

    def any(self, heads: np.ndarray) -> bool:
        """Whether some class of theirs has k records and satisfies what is required."""
        if len(self.rows) == 0:
            return False
        codes = interval_codes(self.table, heads)[self.rows]
        numbers = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
        enough = np.bincount(numbers, self.table.weights[self.rows]) >= self.k
        starts = np.concatenate([[0], np.cumsum(np.bincount(numbers))]).astype(np.int64)
        order = self.rows[np.argsort(numbers, kind="stable")]
        return bool((enough & which_hold(self.required, order, starts)).any())
