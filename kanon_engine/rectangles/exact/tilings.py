"""Is there a tiling of a grid with no tile above a cap, guillotine or not? An exact cover, for CP-SAT."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.rectangles.grid import Grid
from kanon_engine.search.solvers import solved, solver_for

MOST = 1_000_000  # entries in the model's constraints up to which the question is asked


def tiles_up_to(grid: Grid, k: int, cap: int, most: int) -> np.ndarray | None:
    """(t, 4) int64: every rectangle of the grid that weighs k to cap, as first column, row, end column, row.

    None where there are more than `most`.
    """
    wide, high = grid.shape
    found, count = [], 0
    for a in range(wide):
        for c in range(a + 1, wide + 1):
            strip = grid.sums[c] - grid.sums[a]
            if strip[high] < k:
                continue
            weights = strip[None, :] - strip[:, None]
            b, d = np.nonzero((weights >= k) & (weights <= cap))
            found.append(np.column_stack([np.full(len(b), a), b, np.full(len(b), c), d]))
            count += len(b)
            if count > most:
                return None
    return np.concatenate(found) if found else np.empty((0, 4), dtype=np.int64)


def tiling_up_to(
    grid: Grid,
    k: int,
    cap: int,
    effort: float,
    seed: int,
    goes_on: Callable[[], bool],
    hint: np.ndarray | None = None,
) -> tuple[str, np.ndarray | None, float]:
    """Look for a tiling with all tiles between k and the cap; with a hint, for one with the least sum of squares.

    x[T] says that tile T is used. Every cell with points is in exactly one tile. That the tiles cover the rest of the
    grid once, too, is said by their corners: docs/proofs/rectangles/exact.md, tilings as exact cover.

    Parameters
    ----------
    grid : Grid
    k, cap : int
    effort : float
        Deterministic time of CP-SAT, in its own unit.
    seed : int
    goes_on : callable
        Whether to go on.
    hint : (m, 4) int64 array, optional
        A tiling to begin with.

    Returns
    -------
    verdict : str
        "impossible" (proven), "found", "open" (the effort was used up) or "too large" (not asked).
    tiles : (m, 4) int64 array or None
    spent : float
        The part of the effort that was used.
    """
    from ortools.sat.python import cp_model

    tiles = tiles_up_to(grid, k, cap, MOST // 4)
    if tiles is None:
        return "too large", None, 0.0
    holding = [np.flatnonzero(_holds(tiles, cell)) for cell in grid.cells]
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
        known = {tuple(tile) for tile in hint.tolist()}
        for number, tile in enumerate(tiles.tolist()):
            model.add_hint(used[number], tuple(tile) in known)
    solver = solver_for(seed, effort)
    verdict = solved(solver, model, goes_on)
    if verdict != "found":
        return verdict, None, solver.deterministic_time
    chosen = [bool(solver.boolean_value(variable)) for variable in used]
    return "found", tiles[chosen], solver.deterministic_time


def _holds(tiles: np.ndarray, cell: np.ndarray) -> np.ndarray:
    inside: np.ndarray = (tiles[:, :2] <= cell) & (cell < tiles[:, 2:])
    return np.asarray(inside.all(axis=1))


def _corners(grid: Grid, tiles: np.ndarray) -> list[tuple[list[int], list[int], int]]:
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
    return [(own.tolist(), sign.tolist(), total) for own, sign, total in zip(*parts, sums, strict=True)]
