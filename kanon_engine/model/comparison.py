"""How two results of the same items differ: which classes correspond, and which items changed class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.validate import LARGEST_TOTAL


@dataclass(frozen=True, eq=False)
class Comparison:
    """Which classes of two results correspond.

    The classes are paired so that the weight of items outside their class's partner is least. So merely renumbering
    classes changes nothing, and the order of the two results does not matter.
    """

    pairs: np.ndarray  # (p, 2) int64: class of the first result, class of the second; sorted by the first
    classes: tuple[int, int]  # the number of classes of each result
    # (n,) bool: whether an item's classes do not correspond. An item that both leave out has not changed
    changed: np.ndarray

    @cached_property
    def partners(self) -> tuple[np.ndarray, np.ndarray]:
        """For each class of the first and of the second result the corresponding class; -1 if there is none."""
        result = tuple(np.full(count, -1, dtype=np.int64) for count in self.classes)
        for side in (0, 1):
            result[side][self.pairs[:, side]] = self.pairs[:, 1 - side]
        return result[0], result[1]

    @cached_property
    def joint(self) -> tuple[np.ndarray, np.ndarray]:
        """For each class of the first and of the second result a number that corresponding classes share."""
        first = self.classes[0]
        numbers = self.partners[1].copy()
        alone = numbers < 0
        numbers[alone] = first + np.arange(int(alone.sum()))
        return np.arange(first), numbers


def compare(first: Generalization, second: Generalization, weights: np.ndarray) -> Comparison:
    """Pair the classes of two results of the same items.

    `weights`: (n,) int. Weights of the items. Among pairings of equal weight, one with the most items is chosen.
    Raises `InvalidInput`: their items are different.
    Complexity: that of `matching` for at most n pairs.

    >>> import kanon_engine as kanon
    >>> line = kanon.Regions(list("abcde"), [4, 2, 3, 2, 4], [(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> one, two = (kanon.generalize(line, 5, name) for name in ("tree-split", "exact"))
    >>> one.assignment.tolist(), two.assignment.tolist()
    ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1])
    >>> found = compare(one, two, line.weights)
    >>> found.pairs.tolist(), found.changed.tolist()
    ([[0, 1], [1, 0]], [False, False, True, False, False])
    """
    one, other = first.assignment, second.assignment
    if first.family != second.family or not len(one) == len(other) == len(weights):
        raise InvalidInput("Two results can be compared if their items are the same; these have different items.")
    inside = (one >= 0) & (other >= 0)
    both, of = np.unique(np.column_stack([one[inside], other[inside]]), axis=0, return_inverse=True)
    counts = np.bincount(of.ravel(), minlength=len(both))
    shared = np.zeros(len(both), dtype=np.int64)
    np.add.at(shared, of.ravel(), np.asarray(weights)[inside])
    if int(shared.sum()) < LARGEST_TOTAL // (len(one) + 1):  # so that the number of items can break ties
        shared = shared * (len(one) + 1) + counts
    pairs = both[matching(both[:, 0], both[:, 1], shared)].astype(np.int64)
    partner = np.full(first.classes, -1, dtype=np.int64)
    partner[pairs[:, 0]] = pairs[:, 1]
    changed = one != other
    changed[inside] = partner[one[inside]] != other[inside]
    return Comparison(pairs, (first.classes, second.classes), changed)


def matching(first: np.ndarray, second: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """The pairs of greatest total worth in which nothing occurs twice.

    Parameters
    ----------
    first, second : (e,) int arrays
        The two sides of each possible pair, numbered from 0 on each side; no pair occurs twice.
    worth : (e,) int. Worth of each pair, at least 0; together below 2^53, so that sums are exact.

    Returns (p,) int64 array: the positions of the chosen pairs, ascending.
    Complexity: One shortest augmenting path for each number of the first side: O(m (e + m log m)).

    >>> matching(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([6, 5, 4])).tolist()  # 5 + 4 is more than 6
    [1, 2]
    """
    from scipy.sparse import coo_array  # imported here to keep the start fast
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if not len(worth):
        return np.empty(0, dtype=np.int64)
    rows, columns = int(first.max()) + 1, int(second.max()) + 1
    # Each of the first side can also stay single: it has its own column, worth nothing. A 0 there is not an edge.
    alone = np.arange(rows)
    values = np.concatenate([worth + 1, np.ones(rows)]).astype(np.float64)
    places = (np.concatenate([first, alone]), np.concatenate([second, columns + alone]))
    table = coo_array((values, places), shape=(rows, columns + rows)).tocsr()
    left, other = min_weight_full_bipartite_matching(table, maximize=True)
    partner = np.full(rows, -1, dtype=np.int64)
    partner[left] = other
    return np.flatnonzero(partner[first] == second)
