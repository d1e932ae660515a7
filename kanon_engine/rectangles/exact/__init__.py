"""The smallest possible largest rectangle, proven; or as much of a proof as the effort allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.balanced_kd_tree import balanced_kd_tree
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.exact.caps import best_below, fits
from kanon_engine.rectangles.exact.guillotine import best_cuts
from kanon_engine.rectangles.exact.splits import cuts_of, splits_at
from kanon_engine.rectangles.exact.tilings import tiling_up_to
from kanon_engine.rectangles.grid import Grid, grid_of, intervals
from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.kd_tree import kd_tree
from kanon_engine.search.solvers import LARGEST_SUM, CapSearch

TABLE = intervals(75) ** 2  # rectangles that the dynamic program looks at
BUDGET = 4.0  # CP-SAT's deterministic time for a whole run without a time limit
CUTS = "trying all cuts of all rectangles"
SOME_CUTS = "too many lines to try all cuts: trying some"
EVEN_OUT = 1.0  # the part of the effort that may go into the sum of squares


def exact(points: Points, k: int, run: Run, *, guillotine: bool) -> Outcome:
    """Rectangles that tile the bounding box, each of weight >= k, with the smallest possible largest.

    Guarantee: as for the kd-tree, whose result is the first solution. The bound holds for all tilings, also where only
    guillotine partitions were asked for. Proof: docs/proofs/rectangles/exact.md.

    A dynamic program finds the best partition that cuts from side to side can make. Then CP-SAT is asked whether any
    tiling has no rectangle above a cap; where all points weigh less than 5 k there is nothing to ask. Among partitions
    with the same largest class those with the least sum of squares are preferred, in grids of up to 75 columns and as
    many rows. Up to some 200, a dynamic program decides for one cap after the other whether cuts can stay below it,
    from what `balanced_kd_tree` found. Where the grid is larger still, some of its lines are tried, and the result is
    the better of that and the balanced kd-tree's. Without a time limit all efforts count steps, so that the same seed
    gives the same result.

    Parameters
    ----------
    points : Points
    k : int
    run : Run
        Marked as stopped when the efforts end before the proof.
    guillotine : bool
        Whether only partitions count that cuts from side to side can make.

    Returns
    -------
    Outcome
        `details.splits` is empty for a tiling that no such cuts make. A bound that the search proved has the kind
        "solver".

    Complexity
    ----------
    O(C^2 R^2 (C + R)) for the best guillotine partition of C columns and R rows, a 64th of that for each cap where they
    are many; exponential for tilings.

    Example
    -------
    A 3 x 3 grid with two records in its middle, the smallest set where cuts from side to side are not the best:

    >>> grid = Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, 2, 1, 1, 1, 1])
    >>> [max(np.bincount(exact(grid, 2, Run(), guillotine=g).assignment, grid.weights)) for g in (True, False)]
    [np.float64(3.0), np.float64(2.0)]
    """
    grid = searched_grid(points, k)
    few = _has_few_rectangles(grid)
    first = kd_tree(points, k, run, cut="balanced") if few and grid.whole else balanced_kd_tree(points, k, run)
    start = _key(np.bincount(first.assignment, weights=points.weights))
    bound = lower_bound(points, k)
    search = _Search(points, grid, k, run, bound.value)
    if few:
        found, finished = search.cut(start[0])
    else:
        found, finished = search.halve(grid.tiles_of(first.details.rectangles, points))  # type: ignore[attr-defined]
    if found is not None and grid.whole:
        tiles = search.narrow(found, search.largest, search.ask)
        if not guillotine:
            found = search.even_out(tiles)
        finished = (guillotine and finished) or search.low == _key(grid.weights_of(found))[0]
    else:
        finished = start[0] == bound.value
    run.stopped = run.stopped or not finished
    bound = Bound(search.low, "exact search", "solver") if search.low > bound.value else bound
    if found is None or (not grid.whole and _key(grid.weights_of(found)) >= start):
        details = replace(first.details, cut="exact")  # type: ignore[type-var, call-arg]
        return Outcome(first.assignment, details, first.guarantee, bound)
    return replace(_outcome(grid, found), guarantee=first.guarantee, bound=bound)


def searched_grid(points: Points, k: int) -> Grid:
    """All lines that a tiling may use, if all cuts of all rectangles between them can be tried; else some of them."""
    every = grid_of(points, k, None)
    return every if _has_few_rectangles(every) or fits(*every.shape) else grid_of(points, k, TABLE)


def _has_few_rectangles(grid: Grid) -> bool:
    """Whether the dynamic program can hold a number for each rectangle."""
    return intervals(grid.shape[0]) * intervals(grid.shape[1]) <= TABLE


class _Search(CapSearch):
    """The search for tilings of a grid."""

    def __init__(self, points: Points, grid: Grid, k: int, run: Run, low: int) -> None:
        super().__init__(run, low, BUDGET, "asking whether there is a tiling below a cap")
        self.points, self.grid, self.k = points, grid, k

    def cut(self, best: int) -> tuple[np.ndarray | None, bool]:
        """The best guillotine partition of the grid with no class above the best known, and whether none is better."""

        def goes_on(done: float, cap: int) -> bool:
            return self.run.goes_on(done / 2, cap, self.low, CUTS if self.grid.whole else SOME_CUTS)

        if not self.grid.whole and best == self.low:
            return None, False
        tiles = best_cuts(self.grid, self.k, best, False, lambda done: goes_on(done / 2, best))
        if tiles is None:
            return None, False
        best = self.largest(tiles)
        even = best_cuts(self.grid, self.k, best, True, lambda done: goes_on(0.5 + done / 2, best))
        if self.grid.whole and self.points.total < 5 * self.k:
            self.low = best
        return tiles if even is None else even, True

    def halve(self, known: np.ndarray) -> tuple[np.ndarray, bool]:
        """The same from a partition that is known, where there are too many rectangles for a number each."""
        goes_on = lambda done, cap: self.run.goes_on(done / 2, cap, self.low, CUTS)  # noqa: E731
        tiles, finished = best_below(self.grid, self.k, self.low, self.largest(known), goes_on)
        found = known if tiles is None else tiles
        if finished and self.points.total < 5 * self.k:
            self.low = self.largest(found)
        return found, finished

    def even_out(self, tiles: np.ndarray) -> np.ndarray:
        """A tiling with the same largest class and a smaller sum of squares, if one is found."""
        weights = self.grid.weights_of(tiles)
        cap = int(weights.max())
        if self.points.total < 5 * self.k or self.points.total**2 > LARGEST_SUM or not self.goes_on(cap):
            return tiles
        found = self.ask(cap, min(EVEN_OUT, self.left), partial(self.goes_on, cap), tiles)[1]
        return tiles if found is None or _key(self.grid.weights_of(found)) >= _key(weights) else found

    def ask(
        self, cap: int, effort: float, goes_on: Callable[..., bool], hint: np.ndarray | None = None
    ) -> tuple[str, np.ndarray | None, float]:
        """Whether there is a tiling with no tile above the cap."""
        return tiling_up_to(self.grid, self.k, cap, effort, self.run.seed, goes_on, hint)

    def largest(self, tiles: np.ndarray) -> int:
        """The weight of the heaviest tile."""
        return int(self.grid.weights_of(tiles).max())


def _key(weights: np.ndarray) -> tuple[int, int]:
    """The largest class, then the sum of squares."""
    loads = [int(weight) for weight in weights]
    return max(loads), sum(load**2 for load in loads)


def _outcome(grid: Grid, tiles: np.ndarray) -> Outcome:
    """The tiles as classes, numbered along the tree of cuts or from low to high x."""
    made = cuts_of(tiles)
    if made is None:
        tiles = tiles[np.lexsort((tiles[:, 1], tiles[:, 0]))]
        splits = np.empty((0, 3))
    else:
        tiles = tiles[made[1]]
        splits = splits_at(made[0], grid.sides)
    return Outcome(grid.classes(tiles), RectangleDetails(grid.rectangles(tiles), splits, "exact"), None)
