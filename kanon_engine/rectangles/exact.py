"""The smallest possible largest rectangle, proven, or as much of a proof as the effort allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.balanced_kd_tree import balanced_kd_tree
from kanon_engine.rectangles.bit_table_kernels import has, set_bits, table_shape, work
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.exact_kernels import Classes, interval, widen
from kanon_engine.rectangles.grid import TilingGrid, grid_of, intervals
from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.kd_tree import kd_tree
from kanon_engine.search.solvers import LARGEST_SUM, CapSearch, solved, solver_for

Tile = tuple[int, int, int, int]  # first column, first row, end column, end row
TABLE = intervals(75) ** 2  # rectangles that the dynamic program examines
BUDGET = 4.0  # CP-SAT's deterministic time for a whole run without a time limit
CUTS = "trying all cuts of all rectangles"
SOME_CUTS = "too many lines to try all cuts: trying some"
EVEN_OUT = 1.0  # the part of the effort available for the sum of squares


def exact(points: Points, k: int, run: Run, *, guillotine: bool) -> Outcome:
    """Rectangles that tile the bounding box, each of weight >= k, with the smallest possible largest.

    Guarantee: as for the kd-tree, whose result is the first solution. The bound holds for all tilings, even if only
    guillotine partitions were requested. Proof: docs/proofs/rectangles/exact.md.

    Among partitions with the same largest class those with the least sum of squares are preferred, in grids of up to 75
    columns and as many rows. Without a time limit all efforts count steps, so that the same seed gives the same result.

    Parameters
    ----------
    run : Marked as stopped when the efforts end before the proof.
    guillotine : Whether to allow only partitions made by cuts from side to side.

    Returns
    -------
    Outcome
        `details.splits` is empty for a tiling that such cuts cannot make. A bound that the search proved has the kind
        "solver".

    Complexity
    ----------
    O(C^2 R^2 (C + R)) for the best guillotine partition of C columns and R rows, a 64th of that per cap if there are
    many; exponential for tilings.

    A 3 x 3 grid with two records in its middle, the smallest set for which cuts from side to side are not the best:

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
        tiling, finished = search.cut(start[0])
    else:
        tiling, finished = search.halve(grid.tiles_of(first.details.rectangles, points))  # type: ignore[attr-defined]
    if tiling is not None and grid.whole:
        tiles = search.narrow(tiling, search.largest, search.ask)
        if not guillotine:
            tiling = search.even_out(tiles)
        finished = (guillotine and finished) or search.low == _key(grid.weights_of(tiling))[0]
    else:
        finished = start[0] == bound.value
    run.stopped = run.stopped or not finished
    bound = Bound(search.low, "exact search", "solver") if search.low > bound.value else bound
    if tiling is None or (not grid.whole and _key(grid.weights_of(tiling)) >= start):
        details = replace(first.details, cut="exact")  # type: ignore[type-var, call-arg]
        return Outcome(first.assignment, details, first.guarantee, bound)
    return replace(_outcome(grid, tiling), guarantee=first.guarantee, bound=bound)


def searched_grid(points: Points, k: int) -> TilingGrid:
    """All lines that a tiling may use, if all cuts of all rectangles between them can be tried; otherwise some of
    them."""
    every = grid_of(points, k, None)
    return every if _has_few_rectangles(every) or fits(*every.shape) else grid_of(points, k, TABLE)


def _has_few_rectangles(grid: TilingGrid) -> bool:
    """Whether the dynamic program can hold a number for each rectangle."""
    return intervals(grid.shape[0]) * intervals(grid.shape[1]) <= TABLE


class _Search(CapSearch):
    """The search for tilings of a grid."""

    def __init__(self, points: Points, grid: TilingGrid, k: int, run: Run, low: int) -> None:
        super().__init__(run, low, BUDGET, "checking whether a tiling below a size limit exists")
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
        # fewer than five classes are always made by cuts, so the best cuts are the best tiling
        if self.grid.whole and self.points.total < 5 * self.k:
            self.low = best
        return tiles if even is None else even, True

    def halve(self, start: np.ndarray) -> tuple[np.ndarray, bool]:
        """The same from a known partition, if there are too many rectangles for one number each."""
        goes_on = lambda done, cap: self.run.goes_on(done / 2, cap, self.low, CUTS)  # noqa: E731
        tiles, finished = best_below(self.grid, self.k, self.low, self.largest(start), goes_on)
        best = start if tiles is None else tiles
        if finished and self.points.total < 5 * self.k:
            self.low = self.largest(best)
        return best, finished

    def even_out(self, tiles: np.ndarray) -> np.ndarray:
        """A tiling with the same largest class and a smaller sum of squares, if one is found."""
        weights = self.grid.weights_of(tiles)
        cap = int(weights.max())
        if self.points.total < 5 * self.k or self.points.total**2 > LARGEST_SUM or not self.goes_on(cap):
            return tiles
        tiling = self.ask(cap, min(EVEN_OUT, self.left), partial(self.goes_on, cap), tiles)[1]
        return tiles if tiling is None or _key(self.grid.weights_of(tiling)) >= _key(weights) else tiling

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


def _outcome(grid: TilingGrid, tiles: np.ndarray) -> Outcome:
    """The tiles as classes, numbered along the tree of cuts or from low to high x."""
    cuts = cuts_of(tiles)
    if cuts is None:
        tiles = tiles[np.lexsort((tiles[:, 1], tiles[:, 0]))]
        splits = np.empty((0, 3))
    else:
        tiles = tiles[cuts[1]]
        splits = splits_at(cuts[0], grid.sides)
    return Outcome(grid.classes(tiles), RectangleDetails(grid.rectangles(tiles), splits, "exact"), None)


WORDS = 1 << 24  # of a table: 134 MB, for some 200 columns and as many rows
WORK = 1 << 35  # words that all tables of a run may examine
FEWEST = 8  # caps that justify starting


def fits(columns: int, rows: int) -> bool:
    """Whether a table has room for a grid, and a few of them can be filled.

    >>> fits(200, 200), fits(250, 250), fits(10, 1_000)
    (True, False, True)
    """
    intervals, words = table_shape(columns, rows)
    return int(intervals) * int(words) <= WORDS and FEWEST * int(work(columns, rows)) <= WORK


def best_below(
    grid: TilingGrid, k: int, low: int, best: int, goes_on: Callable[[float, int], bool]
) -> tuple[np.ndarray | None, bool]:
    """The guillotine partition of the grid with the smallest largest class, if there is one below the best known.

    A table says for every rectangle whether cuts can divide it into classes of weight k to a cap. Caps are bisected
    between a lower bound and the best known. Proof: docs/proofs/rectangles/exact.md, caps.

    Parameters
    ----------
    grid : One that `fits`.
    k, low, best : Least weight of a class, a lower bound on the largest, and the largest class of the known partition.
    goes_on : Receives the share of work done and the best so far; returns False to stop.

    Returns
    -------
    tiles : (m, 4) int64, or None where there is none.
    finished : Whether none is better; False if the work was stopped or used up first.

    Complexity
    ----------
    O(C^2 R^2 (C + R) / 64) time per cap and O(C^2 R^2 / 64) space for C columns and R rows.
    """
    table = np.empty(table_shape(*grid.shape), np.uint64)
    asks = WORK // int(work(*grid.shape))
    asked, filled, upper = 0, 0, best

    def possible(cap: int) -> bool | None:
        """Whether there is a partition below the cap; None if the work was stopped."""
        nonlocal asked, filled
        asked += 1
        for width in range(1, grid.shape[0] + 1):
            if not goes_on((asked - 1 + width / grid.shape[0]) / (asks + 1), upper):
                return None
            set_bits(table, grid.sums, width, k, cap)
        filled = cap
        return bool(has(table, (0, 0, *grid.shape), grid.shape))

    # one table is kept for the end, which carves from the table of the best cap
    while low < upper and asked < asks - 1:
        cap = (low + upper - 1) // 2
        answer = possible(cap)
        if answer is None:
            break
        if answer:
            upper = cap
        else:
            low = cap + 1
    if upper == best or (filled != upper and not possible(upper)):
        return None, low >= best
    return _carved(grid, table, k), low >= upper


def _carved(grid: TilingGrid, table: np.ndarray, k: int) -> np.ndarray:
    """Tiles along set bits, each cut by the most balanced line that leaves two with set bits, until none does."""
    tiles, waiting = [], [(0, 0, *grid.shape)]
    while waiting:
        a, b, c, d = waiting.pop()
        halves = _halves(a, b, c, d)
        tiling = np.array(halves, dtype=np.int64).reshape(-1, 4)
        lighter = grid.weights_of(tiling).reshape(-1, 2).min(axis=1)
        for way in np.argsort(-lighter, kind="stable").tolist():
            low, high = halves[way]
            if lighter[way] >= k and has(table, low, grid.shape) and has(table, high, grid.shape):
                waiting += [high, low]
                break
        else:
            tiles.append((a, b, c, d))
    return np.array(tiles, dtype=np.int64)


def _halves(a: int, b: int, c: int, d: int) -> list[tuple[Tile, Tile]]:
    """Both sides of every line through a tile, first across columns."""
    across = [((a, b, x, d), (x, b, c, d)) for x in range(a + 1, c)]
    return across + [((a, b, c, y), (a, y, c, d)) for y in range(b + 1, d)]


def best_cuts(
    grid: TilingGrid, k: int, cap: int, squares: bool, goes_on: Callable[[float], bool] = lambda done: True
) -> np.ndarray | None:
    """The guillotine partition of the grid with the smallest largest class, or the least sum of squares.

    (m, 4) int64, as in `TilingGrid.weights_of`; None if there is none, or the work was stopped.

    Dynamic programming: a rectangle is one class, or the best of its cuts into two rectangles.

    Parameters
    ----------
    k, cap : Least and greatest weight of a class.
    squares : bool
        Whether to minimize the sum of squared class weights instead of the largest. They are computed in float64, so
        above 2^53 this is right up to rounding.
    goes_on : Receives the share of work done; returns False to stop.

    Complexity
    ----------
    O(C^2 R^2 (C + R)) time and O(C^2 R^2) space for C columns and R rows.

    References
    ----------
    S. Muthukrishnan, V. Poosala, T. Suel, "On rectangular partitionings in two dimensions" (1999): the same dynamic
    program for partitions without a least weight, there called hierarchical.
    """
    wide, high = grid.shape
    best = np.empty((intervals(wide), intervals(high)))
    for width in range(1, wide + 1):
        if not goes_on((width - 1) / wide):
            return None
        widen(best, grid.sums, width, Classes(k, cap, squares))

    def value(a: int, b: int, c: int, d: int) -> float:
        return float(best[interval(a, c - a, wide), interval(b, d - b, high)])

    if not np.isfinite(value(0, 0, wide, high)):
        return None
    tiles, waiting = [], [(0, 0, wide, high)]
    while waiting:
        a, b, c, d = waiting.pop()
        # the table holds exactly this number, so equality finds a cut that leads to it
        aim = value(a, b, c, d)
        weight = int(grid.weights_of(np.array([[a, b, c, d]]))[0])
        if k <= weight <= cap and (float(weight) * float(weight) if squares else weight) == aim:
            tiles.append((a, b, c, d))
            continue
        for one, two in _halves(a, b, c, d):
            first, second = value(*one), value(*two)
            if (first + second if squares else max(first, second)) == aim:
                waiting += [two, one]
                break
    return np.array(tiles, dtype=np.int64)


def cuts_of(tiles: np.ndarray) -> tuple[list[tuple[int, int, int]], list[int]] | None:
    """The cuts of a tiling in their order, and its tiles along the tree of cuts; None if it is not guillotine.

    Cuts are as in `RectangleDetails`, with lines given by number. Fewer than five tiles are always guillotine:
    docs/proofs/rectangles/exact.md, few rectangles.

    Parameters
    ----------
    tiles : (m, 4) int64. First column, first row, end column and end row of each.

    Complexity
    ----------
    O(m^2 log m).

    >>> cuts_of(np.array([[0, 0, 2, 1], [0, 1, 1, 2], [1, 1, 2, 2]]))
    ([(0, 1, 1), (2, 0, 1)], [0, 1, 2])
    >>> pinwheel = np.array([[0, 0, 2, 1], [2, 0, 3, 2], [1, 2, 3, 3], [0, 1, 1, 3], [1, 1, 2, 2]])
    >>> cuts_of(pinwheel) is None
    True
    """
    splits: list[tuple[int, int, int]] = []
    parts: list[np.ndarray] = [np.arange(len(tiles))]
    below: dict[int, int] = {}
    number = 0
    while number < len(parts):
        if len(parts[number]) > 1:
            cut = _most_even_cut(tiles[parts[number]])
            if cut is None:
                return None
            axis, line = cut
            low = tiles[parts[number], axis] < line
            below[number] = len(parts)
            splits.append((number, axis, line))
            parts += [parts[number][low], parts[number][~low]]
        number += 1
    order: list[int] = []
    waiting = [0]
    while waiting:
        number = waiting.pop()
        if number in below:
            waiting += [below[number] + 1, below[number]]
        else:
            order += parts[number].tolist()
    return splits, order


def splits_at(cuts: list[tuple[int, int, int]], lines: Sequence[np.ndarray]) -> np.ndarray:
    """Cuts as in `RectangleDetails`, from those of `cuts_of` and where each line of either axis is."""
    return np.array([(part, axis, lines[axis][line]) for part, axis, line in cuts], dtype=np.float64).reshape(-1, 3)


def _most_even_cut(tiles: np.ndarray) -> tuple[int, int] | None:
    """Axis and line that cross no tile, with the most equal numbers of tiles on both sides; the first of several."""
    best: tuple[int, int] | None = None
    most = 0
    for axis in range(2):
        order = np.argsort(tiles[:, axis], kind="stable")
        lows = tiles[order, axis]
        highs = np.maximum.accumulate(tiles[order, axis + 2])
        for before in np.flatnonzero(highs[:-1] <= lows[1:]).tolist():
            lighter = min(before + 1, len(tiles) - before - 1)
            if lighter > most:
                most, best = lighter, (axis, int(lows[before + 1]))
    return best


MOST = 1_000_000  # entries in the model's constraints up to which it is solved


def tiles_up_to(grid: TilingGrid, k: int, cap: int, most: int) -> np.ndarray | None:
    """(t, 4) int64: every rectangle of the grid that weighs k to cap, as first column, row, end column, row.

    None where there are more than `most`.
    """
    wide, high = grid.shape
    tiles, count = [], 0
    for a in range(wide):
        for c in range(a + 1, wide + 1):
            strip = grid.sums[c] - grid.sums[a]
            if strip[high] < k:
                continue
            weights = strip[None, :] - strip[:, None]
            b, d = np.nonzero((weights >= k) & (weights <= cap))
            tiles.append(np.column_stack([np.full(len(b), a), b, np.full(len(b), c), d]))
            count += len(b)
            if count > most:
                return None
    return np.concatenate(tiles) if tiles else np.empty((0, 4), dtype=np.int64)


def tiling_up_to(
    grid: TilingGrid,
    k: int,
    cap: int,
    effort: float,
    seed: int,
    goes_on: Callable[[], bool],
    hint: np.ndarray | None = None,
) -> tuple[str, np.ndarray | None, float]:
    """Look for a tiling with all tiles between k and the cap; with a hint, for one with the least sum of squares.

    x[T] says that tile T is used. Every cell with points is in exactly one tile. Constraints on their corners make the
    tiles cover the rest of the grid once, too: docs/proofs/rectangles/exact.md, tilings as exact cover.

    Parameters
    ----------
    effort : Deterministic time of CP-SAT, in its own unit.
    goes_on : Whether to go on.
    hint : (m, 4) int64, optional. A tiling to begin with.

    The verdict is "impossible" (proven), "found", "open" (the effort was used up) or "too large" (not asked); tiles
    and the effort spent follow, as `CapSearch.narrow` asks for.
    """
    from ortools.sat.python import cp_model

    tiles = tiles_up_to(grid, k, cap, MOST // 4)
    if tiles is None:
        return "too large", None, 0.0
    low, high = tiles[:, :2], tiles[:, 2:]
    holding = [np.flatnonzero(((low <= cell) & (cell < high)).all(axis=1)) for cell in grid.cells]
    if not all(len(numbers) for numbers in holding):
        return "impossible", None, 0.0
    if 4 * len(tiles) + sum(len(numbers) for numbers in holding) > MOST:
        return "too large", None, 0.0
    weights = grid.weights_of(tiles)
    model = cp_model.CpModel()
    used = [model.new_bool_var("") for _ in range(len(tiles))]
    for numbers in holding:
        model.add_exactly_one(used[number] for number in numbers.tolist())
    for corners, signs, count in _corners(grid, tiles):
        model.add(cp_model.LinearExpr.weighted_sum([used[number] for number in corners], signs) == count)
    total = int(grid.sums[-1, -1])
    model.add(sum(used) <= total // k)
    model.add(sum(used) >= -(-total // cap))
    if hint is not None:
        model.minimize(cp_model.LinearExpr.weighted_sum(used, [weight**2 for weight in weights.tolist()]))
        hint_tiles = {tuple(tile) for tile in hint.tolist()}
        for number, tile in enumerate(tiles.tolist()):
            model.add_hint(used[number], tuple(tile) in hint_tiles)
    solver = solver_for(seed, effort)
    verdict = solved(solver, model, goes_on)
    if verdict != "found":
        return verdict, None, solver.deterministic_time
    chosen = [bool(solver.boolean_value(variable)) for variable in used]
    return "found", tiles[chosen], solver.deterministic_time


def _corners(grid: TilingGrid, tiles: np.ndarray) -> list[tuple[list[int], list[int], int]]:
    """For every crossing of lines: the tiles with a corner there, their signs, and what these must add up to."""
    wide, high = grid.shape
    west, south, east, north = tiles.T
    keys = np.concatenate([place * (high + 1) + row for place in (west, east) for row in (south, north)])
    signs = np.repeat([1, -1, -1, 1], len(tiles))
    numbers = np.tile(np.arange(len(tiles)), 4)
    order = np.argsort(keys, kind="stable")
    present, starts = np.unique(keys[order], return_index=True)
    whole = {0: 1, high: -1, wide * (high + 1): -1, wide * (high + 1) + high: 1}
    parts = [np.split(array[order], starts[1:]) for array in (numbers, signs)]
    sums = [whole.get(key, 0) for key in present.tolist()]
    return [(corners.tolist(), sign.tolist(), total) for corners, sign, total in zip(*parts, sums, strict=True)]
