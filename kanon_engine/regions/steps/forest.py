"""A forest that is cut edge after edge, with the weights on both sides of every edge that is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.regions.trees.kernels import depth_first_forest, depths
from kanon_engine.regions.trees.spanning_tree import neighbour_lists
from kanon_engine.search.parts import parts_of, sums_of


class CutForest:
    """A forest in which an edge is known by its place among all that it had at first.

    Parameters
    ----------
    edges : (e, 2) int array
    weights : (n,) int64 array
    k : int

    Attributes
    ----------
    left : (e,) bool array
        Which edges are not cut.

    Example
    -------
    >>> line = CutForest(np.array([(0, 1), (1, 2), (2, 3)]), np.array([3, 2, 4, 1]), 3)
    >>> line.sides()
    array([[3, 7],
           [5, 5],
           [1, 9]])
    >>> line.next_cuts(), line.cut(0), line.best()
    ([0], (3, 7), 2)
    """

    def __init__(self, edges: np.ndarray, weights: np.ndarray, k: int) -> None:
        self.edges, self.weights, self.k = edges, weights, k
        self.left = np.ones(len(edges), dtype=bool)
        self._place = {frozenset(pair): place for place, pair in enumerate(edges.tolist())}
        parent = depth_first_forest(*neighbour_lists(edges, len(weights)), np.arange(len(weights)))
        self._parent, self._below = parent.tolist(), weights.tolist()
        for v in np.argsort(-depths(parent)).tolist():
            if self._parent[v] >= 0:
                self._below[self._parent[v]] += self._below[v]
        upper = parent[edges[:, 0]] == edges[:, 1]
        self._child = np.where(upper, edges[:, 0], edges[:, 1])

    def place_of(self, pair: Sequence[int]) -> int:
        """The place of the edge between two vertices."""
        return self._place[frozenset(pair)]

    def sides(self) -> np.ndarray:
        """(e, 2) int64: what both sides of each edge weigh, the lighter one first; -1 where it is cut."""
        piece = parts_of(self.edges[self.left], len(self.weights))
        below = np.array(self._below, dtype=np.int64)[self._child]
        rest = sums_of(self.weights, piece)[piece[self._child]] - below
        both = np.sort(np.column_stack([below, rest]), axis=1)
        both[~self.left] = -1
        return both

    def best(self) -> int | None:
        """The heaviest lighter side of an edge that is left; None where none is left."""
        return int(self.sides()[:, 0].max()) if self.left.any() else None

    def next_cuts(self) -> list[int]:
        """The edges that may be cut next, ascending: of pieces of least weight T₁ ≥ k those that contain no other.

        Lemma 2 needs these. They are the lightest leaves that are left when every leaf below k has joined its
        neighbour.
        """
        load = self.weights.tolist()
        near: list[dict[int, int]] = [{} for _ in load]
        for place in np.flatnonzero(self.left).tolist():
            u, v = self.edges[place].tolist()
            near[u][v] = near[v][u] = place
        light = [v for v, around in enumerate(near) if len(around) == 1 and load[v] < self.k]
        while light:
            v = light.pop()
            for u in near[v]:  # none where the last two joined
                load[u] += load[v]
                del near[u][v]
                if len(near[u]) == 1 and load[u] < self.k:
                    light.append(u)
            near[v] = {}
        leaves = {v: next(iter(around.values())) for v, around in enumerate(near) if len(around) == 1}
        least = min((load[v] for v in leaves), default=0)
        return sorted({place for v, place in leaves.items() if load[v] == least})

    def cut(self, place: int) -> tuple[int, int]:
        """Cut an edge; returns T₁, the weight of the lighter side, and T₂."""
        self.left[place] = False
        child = int(self._child[place])
        above, self._parent[child] = self._parent[child], -1
        below = rest = self._below[child]
        while above >= 0:
            self._below[above] -= below
            rest = self._below[above]  # at last that of the root
            above = self._parent[above]
        return min(below, rest), max(below, rest)
