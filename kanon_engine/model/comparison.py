"""How two results of the same items differ: which classes correspond, and which items lie in another one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.validate import LARGEST_TOTAL


@dataclass(frozen=True, eq=False)
class Comparison:
    """Which classes of two results correspond.

    The classes are paired so that the items outside of their class's partner weigh as little as they can. So a mere
    renumbering changes nothing, and the order of the two results does not matter.
    """

    pairs: np.ndarray  # (p, 2) int64: class of the first result, class of the second; by the first
    classes: tuple[int, int]  # how many each result has
    # (n,) bool: whether an item lies in classes that do not correspond. One that both leave out has not changed
    changed: np.ndarray

    @cached_property
    def partners(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each class of the first and of the second result the class that corresponds; -1 where none does."""
        found = tuple(np.full(count, -1, dtype=np.int64) for count in self.classes)
        for side in (0, 1):
            found[side][self.pairs[:, side]] = self.pairs[:, 1 - side]
        return found[0], found[1]

    @cached_property
    def joint(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each class of the first and of the second result a number that classes which correspond share."""
        first = self.classes[0]
        numbers = self.partners[1].copy()
        alone = numbers < 0
        numbers[alone] = first + np.arange(int(alone.sum()))
        return np.arange(first), numbers


def compare(first: Generalization, second: Generalization, weights: np.ndarray) -> Comparison:
    """Pair the classes of two results of the same items.

    `weights`: (n,) int. Of the items. Of pairings that are equal by weight one with most items is taken.
    Raises `InvalidInput`: they are of different items.
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
        raise InvalidInput("Two results can be compared where they are of the same items; these are of different ones.")
    inside = (one >= 0) & (other >= 0)
    both, of = np.unique(np.column_stack([one[inside], other[inside]]), axis=0, return_inverse=True)
    counts = np.bincount(of.ravel(), minlength=len(both))
    shared = np.zeros(len(both), dtype=np.int64)
    np.add.at(shared, of.ravel(), np.asarray(weights)[inside])
    if int(shared.sum()) < LARGEST_TOTAL // (len(one) + 1):  # then the number of items can break ties
        shared = shared * (len(one) + 1) + counts
    pairs = both[matching(both[:, 0], both[:, 1], shared)].astype(np.int64)
    partner = np.full(first.classes, -1, dtype=np.int64)
    partner[pairs[:, 0]] = pairs[:, 1]
    changed = one != other
    changed[inside] = partner[one[inside]] != other[inside]
    return Comparison(pairs, (first.classes, second.classes), changed)


def matching(first: np.ndarray, second: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Of possible pairs those of greatest total worth in which nothing is twice.

    Parameters
    ----------
    first, second : (e,) int arrays
        What each possible pair consists of, numbered from 0 on either side; no pair stands there twice.
    worth : (e,) int. Of each pair, at least 0; together below 2^53, so that sums are exact.

    Returns (p,) int64 array: the places of the pairs that are taken, ascending.
    Complexity: A shortest augmenting path for each number of the first side: O(m (e + m log m)).

    >>> matching(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([6, 5, 4])).tolist()  # 5 + 4 is more than 6
    [1, 2]
    """
    if not len(worth):
        return np.empty(0, dtype=np.int64)
    rows, columns = int(first.max()) + 1, int(second.max()) + 1
    # Each of the first side can also stay alone: it has a column of its own, worth nothing. What is 0 is no edge there.
    alone = np.arange(rows)
    values = np.concatenate([worth + 1, np.ones(rows)]).astype(np.float64)
    places = (np.concatenate([first, alone]), np.concatenate([second, columns + alone]))
    table = coo_array((values, places), shape=(rows, columns + rows)).tocsr()
    own, other = min_weight_full_bipartite_matching(table, maximize=True)
    taken = np.full(rows, -1, dtype=np.int64)
    taken[own] = other
    return np.flatnonzero(taken[first] == second)
