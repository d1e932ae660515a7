"""The smallest possible largest rectangle, proven; or as much of a proof as the effort allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_engine.bound import Bound
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.exact_grid import Grid, grid_of, intervals
from kanon_engine.rectangles.exact_guillotine import best_cuts
from kanon_engine.rectangles.exact_splits import cuts_of
from kanon_engine.rectangles.exact_tilings import tiling_up_to
from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.kd_tree import kd_tree
from kanon_engine.run import Outcome, Run

TABLE = intervals(75) ** 2  # rectangles that the dynamic program looks at
BUDGET = 4.0  # CP-SAT's deterministic time for a whole run without a time limit
FIRST_EFFORT = 0.25  # for the first questions; four times as much in every further round
EVEN_OUT = 1.0  # the part of the effort that may go into the sum of squares
LARGEST_SUM = 1 << 60  # of squares, in the solver's whole numbers


def exact(points: Points, k: int, run: Run, *, guillotine: bool) -> Outcome:
    """Rectangles that tile the bounding box, each of weight >= k, with the smallest possible largest.

    Guarantee: as for the kd-tree, whose result is the first solution.

    Only lines with weight >= k on both sides can hold a side of a rectangle (see `bounds_cells.cells`), and of the
    lines between two neighbouring coordinates one. On the grid that is left a dynamic program finds the best partition
    that cuts from side to side can make. Then CP-SAT is asked whether any tiling has no rectangle above a cap, for caps
    between the proven bound and the best solution, in rounds of growing effort: "impossible" raises the bound above the
    cap, "found" lowers the best. Where all points weigh less than 5 k there is nothing to ask: fewer than five
    rectangles can always be cut from side to side (see `cuts_of`). Among partitions with the same largest class those
    with the least sum of squared class weights are preferred.

    Where the grid is too large for the dynamic program, some of its lines are tried, as many as can be; the result is
    the better of that and the kd-tree's, with the family's bound.

    The bound holds for all tilings, also where only guillotine partitions were asked for: the gap then is what that
    limit costs. Without a time limit all efforts count steps, so that the same seed gives the same result.

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
    O(C^2 R^2 (C + R)) for the best guillotine partition of C columns and R rows; exponential for tilings.

    Example
    -------
    A 3 x 3 grid with two records in its middle, the smallest set where cuts from side to side are not the best:

    >>> grid = Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, 2, 1, 1, 1, 1])
    >>> [max(np.bincount(exact(grid, 2, Run(), guillotine=g).assignment, grid.weights)) for g in (True, False)]
    [np.float64(3.0), np.float64(2.0)]
    """
    first = kd_tree(points, k, run, cut="balanced")
    start = _key(np.bincount(first.assignment, weights=points.weights))
    bound = lower_bound(points, k)
    grid = grid_of(points, k, TABLE)
    search = _Search(points, grid, k, run, bound.value)
    found = search.cut(start[0])
    if found is not None and grid.whole:
        tiles = search.narrow(found)
        if not guillotine:
            found = search.even_out(tiles)
        finished = guillotine or search.low == _key(grid.weights_of(found))[0]
    else:
        finished = start[0] == bound.value
    run.stopped = run.stopped or not finished
    better = Bound(search.low, "exact search", "solver") if search.low > bound.value else None
    if found is None or (not grid.whole and _key(grid.weights_of(found)) >= start):
        details = replace(first.details, cut="exact")  # type: ignore[type-var, call-arg]
        return Outcome(first.assignment, details, first.guarantee, better)
    return replace(_outcome(grid, found), guarantee=first.guarantee, bound=better)


class _Search:
    """Questions about tilings of a grid, with what is left of the effort; `low` is the bound that they have proven."""

    def __init__(self, points: Points, grid: Grid, k: int, run: Run, low: int) -> None:
        self.points, self.grid, self.k, self.run = points, grid, k, run
        self.low = low
        self.left = BUDGET if run.time_limit is None else float("inf")

    def cut(self, best: int) -> np.ndarray | None:
        """The best guillotine partition of the grid with no class above the best known."""

        def goes_on(done: float, cap: int) -> bool:
            return self.run.goes_on(done / 2, cap, self.low, "trying all cuts of all rectangles")

        if not self.grid.whole and best == self.low:
            return None
        tiles = best_cuts(self.grid, self.k, best, False, lambda done: goes_on(done / 2, best))
        if tiles is None:
            return None
        best = int(self.grid.weights_of(tiles).max())
        even = best_cuts(self.grid, self.k, best, True, lambda done: goes_on(0.5 + done / 2, best))
        if self.grid.whole and self.points.total < 5 * self.k:
            self.low = best
        return tiles if even is None else even

    def narrow(self, tiles: np.ndarray) -> np.ndarray:
        """A tiling that is no worse, as good as `low` where the effort suffices; raises `low`."""
        best = int(self.grid.weights_of(tiles).max())
        effort = FIRST_EFFORT
        asked = True
        while asked and self._goes_on(best) and self.low < best:
            asked = False
            high = cap = best - 1  # caps above `high` are left for the next round
            while self.low <= high and self._goes_on(best):
                verdict, found, spent = self._ask(cap, min(effort, self.left), best)
                self.left -= max(spent, BUDGET / 1000)
                asked |= verdict != "too large"
                if found is not None:
                    tiles, best = found, int(self.grid.weights_of(found).max())
                    high = best - 1
                elif verdict == "impossible":
                    self.low = cap + 1
                else:
                    high = cap - 1
                cap = (self.low + high) // 2
            effort *= 4
        return tiles

    def even_out(self, tiles: np.ndarray) -> np.ndarray:
        """A tiling with the same largest class and a smaller sum of squares, if one is found."""
        weights = self.grid.weights_of(tiles)
        cap = int(weights.max())
        if self.points.total < 5 * self.k or self.points.total**2 > LARGEST_SUM or not self._goes_on(cap):
            return tiles
        found = self._ask(cap, min(EVEN_OUT, self.left), cap, tiles)[1]
        return tiles if found is None or _key(self.grid.weights_of(found)) >= _key(weights) else found

    def _ask(
        self, cap: int, effort: float, best: int, hint: np.ndarray | None = None
    ) -> tuple[str, np.ndarray | None, float]:
        return tiling_up_to(self.grid, self.k, cap, effort, self.run.seed, lambda _: self._goes_on(best), hint)

    def _goes_on(self, best: int) -> bool:
        """Report; False once the effort is used up or the run is stopped."""
        done = 1 - self.left / BUDGET if self.run.time_limit is None else self.run.seconds / self.run.time_limit
        message = "asking whether there is a tiling below a cap"
        return self.left > 0 and self.run.goes_on(0.5 + 0.5 * min(done, 1.0), best, self.low, message)


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
        splits = np.array(
            [(part, axis, grid.sides[axis][line]) for part, axis, line in made[0]], dtype=np.float64
        ).reshape(-1, 3)
    return Outcome(grid.classes(tiles), RectangleDetails(grid.rectangles(tiles), splits, "exact"), None)
