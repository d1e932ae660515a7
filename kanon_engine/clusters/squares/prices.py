"""A lower bound on squares: each squared distance is divided between its two ends, and each point pays its cheapest.

The statement and its proof stand in docs/proofs/clusters/squares.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree

from kanon_engine.clusters.squares.price_kernels import Ascent, PairGraph, Triangles, ascend, bound, separate
from kanon_engine.model.objective import Bound

NAME = "squared distances"
NEAR = 100  # neighbours whose distances are divided
FEWEST = 20  # neighbours, however many points there are
ARCS = 420_000  # neighbours of all points together, unless they are the fewest
WORK = 6e8  # arcs looked at in all rounds
ROUNDS = 2_500
BATCH = 50  # rounds between two looks for triangles
FIRST = 200  # rounds without triangles
MOST = 5  # new triangles an apex
LEAST = 0.2  # how far a triangle is violated
ROOM = 40  # triangles a point
INERTIA = 0.7
SAFE = 2.0**-48  # of what is added up, for each addition, which is taken off for rounding
DIGITS = 5  # of the prices, after those of an average point's cost


class Prices:
    """Prices of pairs and triangles, and the best bound that they have proven.

    Parameters
    ----------
    points : (n, d) float64 array
    tree : cKDTree
        Of the points.
    k : int
        At least 2, at most n.
    """

    def __init__(self, points: np.ndarray, tree: cKDTree, k: int) -> None:
        n = len(points)
        near = min(n, max(2 * k + 2, min(NEAR, max(FEWEST, ARCS // n))) + 1)
        self.k, self.points = k, points
        self.graph, self.low, self.high = _near_pairs(points, tree, near)
        self.rounds = int(min(ROUNDS, WORK // (len(self.graph.pairs) + 1))) // BATCH * BATCH
        self.done = self.used = 0
        self.ascent = _ascent(n, len(self.low), k)
        self.triangles = _triangles(ROOM * n if self.rounds > FIRST else 0)
        self.numbers = np.array([0.0, 1.0, 0.0, INERTIA])
        self.numbers[0] = bound(self.graph, k, self.ascent, self.triangles, 0)

    def ascend(self, target: float) -> bool:
        """Some rounds towards a cost that is known; whether more may help."""
        if self.done >= FIRST:
            self.used = separate(self.graph, self.ascent, self.triangles, self.used, MOST, LEAST)
            if self.done < 0.7 * self.rounds:
                self.numbers[1] = max(self.numbers[1], 0.5)
        ascend(self.graph, self.k, self.ascent, self.triangles, self.used, target, self.numbers, BATCH)
        self.done += BATCH
        return self.done < self.rounds and self.numbers[0] < target

    @property
    def value(self) -> float:
        """The best bound so far, but for rounding."""
        return float(self.numbers[0])

    def witness(self) -> tuple[Bound, np.ndarray]:
        """The bound and its prices, both rounded to the safe side.

        A row of prices is (i, j, -1, s): the distance of i and j costs i by s more than half, and j less; or (j, i, l,
        u): the triangle of apex j costs u.
        """
        digits = DIGITS - math.floor(math.log10(self.value / len(self.points))) if self.value > 0 else 0
        shift = np.round(self.ascent.best, digits) + 0.0
        price = np.round(self.triangles.best[: self.used], digits) + 0.0
        pairs, corners = np.flatnonzero(shift), np.flatnonzero(price)
        prices = np.concatenate(
            [
                np.column_stack([self.low[pairs], self.high[pairs], np.full(len(pairs), -1.0), shift[pairs]]),
                self._corners(corners, price[corners]),
            ]
        )
        ascent = self.ascent._replace(shift=shift)
        triangles = self.triangles._replace(price=np.where(price > 0, price, 0.0))
        value = bound(self.graph, self.k, ascent, triangles, self.used) - self._rounding(ascent)
        return Bound(max(float(value), 0.0), NAME), prices if value > 0 else np.zeros((0, 4))

    def _corners(self, corners: np.ndarray, price: np.ndarray) -> np.ndarray:
        apex, third = self.triangles.apex[corners], self.triangles.third[corners]
        return np.column_stack([apex, self.low[third], self.high[third], price])

    def _rounding(self, ascent: Ascent) -> float:
        """Some times what rounding can amount to."""
        graph, used = self.graph, slice(0, self.used)
        size = graph.halves + np.abs(ascent.shift) + np.abs(ascent.share - graph.halves)
        largest = np.where(np.isfinite(graph.floor), graph.floor, 0.0)
        np.maximum.at(largest, np.repeat(np.arange(len(largest)), np.diff(graph.start)), size[graph.pairs])
        sides = np.concatenate([self.triangles.first[used], self.triangles.second[used], self.triangles.third[used]])
        of_pair, of_apex = np.bincount(sides, minlength=1), np.bincount(self.triangles.apex[used], minlength=1)
        additions = self.points.shape[1] + 4 * self.k + 16 + int(of_pair.max()) + int(of_apex.max())
        return additions * SAFE * float((2 * largest + ascent.toll).sum())


def _near_pairs(points: np.ndarray, tree: cKDTree, near: int) -> tuple[PairGraph, np.ndarray, np.ndarray]:
    """Pairs of points of which one is among the nearest of the other."""
    n = len(points)
    apart, others = tree.query(points, near)
    rows = np.repeat(np.arange(n), near)
    low, high = np.minimum(rows, others.ravel()), np.maximum(rows, others.ravel())
    keys = np.unique((low * n + high)[low < high])
    low, high = keys // n, keys % n
    halves = np.zeros(len(keys))
    for column in points.T:
        difference = column[low] - column[high]
        halves += difference * difference
    halves /= 2
    ends, other_ends = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((other_ends, ends))
    pairs = np.tile(np.arange(len(keys)), 2)[order]
    signs = np.repeat([1.0, -1.0], len(keys))[order]
    floor = np.full(n, np.inf) if near == n else apart[:, -1] ** 2 / 2 * (1 - 1e-12)
    start = np.searchsorted(ends[order], np.arange(n + 1))
    return PairGraph(start, other_ends[order], pairs, signs, halves, floor), low, high


def _ascent(n: int, pairs: int, k: int) -> Ascent:
    shift, best, move, share = np.zeros((4, pairs))
    return Ascent(
        shift,
        best,
        move,
        share,
        np.zeros(n),
        np.zeros(2 * pairs, dtype=np.bool_),
        np.full(n, k),
        np.zeros(2 * pairs),
        np.zeros(n),
        np.zeros(2 * k - 2, dtype=np.int64),
        np.zeros(2 * k - 2),
    )


def _triangles(room: int) -> Triangles:
    apex, first, second, third = np.zeros((4, room), dtype=np.int64)
    price, best, move = np.zeros((3, room))
    return Triangles(apex, first, second, third, price, best, move)
