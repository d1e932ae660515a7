"""The independent look at all intervals of a small table."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import Table
from kanon_engine.tables.verify.intervals import cost_of, kept_boxes, losses_of, steps_of
from kanon_engine.tables.verify.weights import records_in

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST_CUTS = 12  # of all columns together
WORK = 6_000_000  # sets of cuts, times records and what looking at a set takes besides
OVERHEAD = 1_000
JUDGED = 8  # times as much where classes are judged by their sensitive values, record by record
DEEPEST = 600  # values of a single column
PAIRS = 30_000_000  # pairs of values, times numbers of records left out
NEVER = 1 << 60


def intervals_beaten(table: Table, g: Generalization) -> bool | None:
    """Whether some intervals cost less than the claimed bound and keep the limit; None if there are too many.

    A column with a tree may have its nodes as intervals, and no others.
    Cuts between values that occur are enough, as no metric looks at the others. One column is solved by dynamic
    programming over the ends of its intervals, several by looking at every set of cuts; so is one where more than k is
    required.
    """
    known = [np.unique(column) for column in table.codes.T]
    if len(known) == 1 and not g.require:
        return _column_beaten(table, g, known[0])
    cuts = sum(len(values) - 1 for values in known)
    work = JUDGED * (len(table) + OVERHEAD) if g.require else len(table) + OVERHEAD
    if cuts > MOST_CUTS or work << cuts > WORK:
        return None
    limit = g.options["suppression_limit"]
    sets = []
    for name, values in zip(table.quasi_identifiers, known, strict=True):
        masks = [_chosen(number, len(values) - 1) for number in range(1 << len(values) - 1)]
        allowed = _allowed(table, name, values)
        sets.append([values[1:][mask] for mask in masks if _all_allowed(allowed, mask)])
    for edges in product(*sets):
        box = np.zeros(len(table), dtype=np.int64)
        for column, own in enumerate(edges):
            box = box * (len(own) + 1) + np.searchsorted(own, table.codes[:, column], "right")
        box = np.unique(box, return_inverse=True)[1]
        sizes = records_in(table, box)
        good = kept_boxes(table, g, box, sizes)
        kept = good[box]
        if limit is not None and int(table.weights[~kept].sum()) > limit:
            continue
        lost = int((losses_of(table, g, list(edges)) * table.weights)[kept].sum())
        if cost_of(table, g, box, sizes, good, lost) < g.lower_bound:
            return True
    return False


def _chosen(number: int, count: int) -> np.ndarray:
    return (number >> np.arange(count) & 1).astype(bool)


def _allowed(table: Table, name: str, values: np.ndarray) -> np.ndarray:
    """(m, m) bool: whether the occurring values from one to another may be an interval: all there are of some node."""
    tree, count = table.tree(name), len(values)
    if tree is None:
        return np.ones((count, count), dtype=bool)
    result = np.zeros((count, count), dtype=bool)
    for starts, ends in zip(tree.starts, tree.ends, strict=True):
        low, high = np.searchsorted(values, starts[values]), np.searchsorted(values, ends[values], "right") - 1
        result[low, high] = True
    return result


def _all_allowed(allowed: np.ndarray, mask: np.ndarray) -> bool:
    edges = [0, *(np.flatnonzero(mask) + 1).tolist(), len(mask) + 1]
    return all(allowed[low, high - 1] for low, high in pairwise(edges))


def _column_beaten(table: Table, g: Generalization, values: np.ndarray) -> bool | None:
    """The least cost of the first i values with so many records left out, for all i."""
    limit, total = g.options["suppression_limit"], table.total
    track = limit is not None and limit < total
    width = limit + 1 if track else 1
    if len(values) > DEEPEST or len(values) ** 2 * width > PAIRS:
        return None
    place = np.searchsorted(values, table.codes[:, 0])
    by_label = np.zeros((len(values) + 1, int(table.labels.max()) + 1), dtype=np.int64)
    np.add.at(by_label, (place + 1, table.labels), table.weights)
    by_label = by_label.cumsum(axis=0)
    before = by_label.sum(axis=1)
    step = steps_of(table, g)[0] if g.options["metric"] == "LM" else 0
    lost_each = {"DM": total, "LM": step * (len(table.domains[0]) - 1)}.get(g.options["metric"], 1)
    least = np.full((len(values) + 1, width), NEVER, dtype=np.int64)
    least[0, 0] = 0
    allowed = _allowed(table, table.quasi_identifiers[0], values)
    for end in range(1, len(values) + 1):
        may = allowed[:end, end - 1]
        sizes = before[end] - before[:end]
        costs = {
            "DM": sizes * sizes,
            "AVG": sizes - g.k,
            "LM": step * (values[end - 1] - values[:end].astype(np.int64)) * sizes,
        }.get(g.options["metric"])
        if costs is None:
            costs = sizes - (by_label[end] - by_label[:end]).max(axis=1)
        kept = (sizes >= g.k) & may
        if kept.any():
            least[end] = (least[:end][kept] + costs[kept][:, None]).min(axis=0)
        for start in np.flatnonzero((sizes < g.k) & may).tolist():
            size = int(sizes[start])
            shift = size if track else 0
            if shift < width:
                moved = least[start, : width - shift] + size * lost_each
                least[end, shift:] = np.minimum(least[end, shift:], moved)
        np.minimum(least[end], NEVER, out=least[end])
    return bool(least[-1].min() < g.lower_bound)
