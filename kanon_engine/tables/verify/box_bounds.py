"""The lower bounds of boxes, worked out again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import Table
from kanon_engine.tables.verify.intervals import steps_of
from kanon_engine.tables.verify.weights import equal_tuples

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

NEIGHBOURS = 4_000_000  # tuples times nearest ones
COUNTED = 2  # times that the company's own needs are counted


def bound_of(table: Table, g: Generalization) -> tuple[str, int]:
    """Name and value of the bound that such a result may claim.

    Boxes keep equal tuples together. Relaxed cuts do not, so only what holds for every partition is claimed.
    """
    metric, total, k = g.options["metric"], table.total, g.k
    tuples, group, sizes = equal_tuples(table)
    if metric == "LM":
        return "nearest company", _company(table, g, tuples, sizes)
    if g.options.get("relaxed"):
        return "sizes alone", {"DM": _even(total, k), "AVG": total % k}.get(metric, 0)
    if metric == "CM":
        votes = np.zeros((len(tuples), int(table.labels.max()) + 1), dtype=np.int64)
        np.add.at(votes, (group, table.labels), table.weights)
        return "finest generalization", total - int(votes.max(axis=1).sum())
    if metric == "AVG":
        enough = sum(min(size, k) for size in sizes.tolist())
        return "equal tuples together", total - k * (enough // k)
    heavy = [size for size in sizes.tolist() if size >= k]
    rest = total - sum(heavy)
    if not heavy:
        return "equal tuples together", _even(rest, k)
    least = min(heavy)
    some = rest if rest < k else min(rest % k, max(0, rest - (rest // k) * (least + 1)))  # while that is larger
    joined = (2 * least + 1) * some + _even(rest - some, k)
    return "equal tuples together", sum(size * size for size in heavy) + joined


def _even(weight: int, k: int) -> int:
    """The least sum of squares of parts of a weight that are at least k each."""
    if weight == 0:
        return 0
    size, larger = divmod(weight, weight // k)
    return (weight // k - larger) * size * size + larger * (size + 1) * (size + 1)


def _company(table: Table, g: Generalization, tuples: np.ndarray, sizes: np.ndarray) -> int:
    """A record loses at least what lies between it and one of its company of k, and as much as each of these must."""
    from scipy.spatial import KDTree

    places = tuples.astype(float) * np.array(steps_of(table, g), dtype=float)
    count = min(len(places), 2 * g.k, max(NEIGHBOURS // len(places), 1))
    far, near = KDTree(places).query(places, k=list(range(1, count + 1)), p=1)
    least = np.zeros(len(places))
    for _ in range(COUNTED + 1):
        needs = np.maximum(far, least[near])
        order = needs.argsort(axis=1)
        needs = np.take_along_axis(needs, order, axis=1)
        enough = np.take_along_axis(sizes[near], order, axis=1).cumsum(axis=1) >= g.k
        needed = np.where(enough, needs, np.inf).min(axis=1)
        outside = np.inf if count == len(places) else far[:, -1]
        least = np.maximum(least, np.minimum(needed, outside))
    return int((least.astype(np.int64) * sizes).sum())
