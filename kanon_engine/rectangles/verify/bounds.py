"""The independent check of the bounds that rectangle results name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.rectangles.instance import Points
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST_BITS = 1 << 27  # of a table of sums, 16 MB
LISTED = 16  # cells of which every sum is looked at
SHARE = 1 << 128  # what shares are counted in
MOST_RECTANGLES = 3240**2  # of a set, up to which all are weighed: those of 80 columns and as many rows
BLOCK = 128  # rows whose rectangles are weighed at a time
GROUPED_UP_TO = 200_000  # points that lie no farther in than the first and the last line that leaves k on both sides


def check_bound(
    points: Points, g: Generalization, columns: np.ndarray, rows: np.ndarray, locations: np.ndarray
) -> Check:
    """Recompute the bound that the result names from its witness; takes what `ceiling.ranks` returns."""
    if g.bound_kind == "solver":
        named = g.bound_name == "exact search" and g.bound_witness == ()
        return Check("bound witness", named, f"{g.lower_bound:,} stands on the word of a search.")
    if g.bound_name == "k" and g.bound_witness == ():
        value: int | None = g.k
    else:
        cells = _cells(columns, rows, locations, points.weights, g.k)
        value = _value(points, g.k, g.bound_name, g.bound_witness, cells)
    if value is None:
        detail = f"no bound is called {g.bound_name!r} with the witness {g.bound_witness}."
        return Check("bound witness", False, detail)
    detail = f"“{g.bound_name}” gives {value:,}, the result says {g.lower_bound:,}."
    return Check("bound witness", value == g.lower_bound, detail)


def _value(
    points: Points, k: int, name: str, witness: tuple[int, ...], cells: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> int | None:
    column, row, cell = cells
    every = np.zeros(int(cell.max()) + 1, dtype=np.int64)
    np.add.at(every, cell, points.weights)
    loads = every[every > 0]
    total = int(loads.sum())
    match name, witness:
        case (("heaviest location" | "points that no cut can split"), (position,)) if 0 <= position < len(cell):
            members = points.xy[cell == cell[position]]
            single = bool((members == members[0]).all())
            return int(every[cell[position]]) if single == (name == "heaviest location") else None
        case "least sum", (least,) if _no_sum_between(loads, k, least):
            return least
        case "average class", (least,) if _no_sum_between(loads, k, least):
            return -(-total // max(int(np.minimum(loads, least).sum()) // least, 1))
        case "locations per class", (excluded, least) if 0 <= excluded < len(loads) and _no_sum_between(
            loads, k, least
        ):
            rest = np.sort(loads)[::-1][excluded:]
            needed = int((np.cumsum(rest) < least).sum()) + 1
            return -(-total // max(excluded + len(rest) // needed, 1))
        case (("least rectangle" | "shares of rectangles"), _) if _rectangles(column, row) > MOST_RECTANGLES:
            return None
        case "least rectangle", (position,) if 0 <= position < len(cell):
            return _lightest(column, row, points.weights, k)[column[position]][row[position]]
        case "shares of rectangles", ():
            return _shares(column, row, points.weights, k)
    return None


def _cells(
    columns: np.ndarray, rows: np.ndarray, locations: np.ndarray, weights: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Column, row and cell of each point where only the useful lines count: those with weight >= k on both sides.

    Every side inside a tiling has a whole class on either side of its line, so it lies on a useful one. Where many
    points lie below or above all useful lines of an axis, and there are some, every location is a cell.
    """
    column, row = useful_ranks(columns, weights, k), useful_ranks(rows, weights, k)
    wide, high = int(column.max()), int(row.max())
    near = np.flatnonzero((column == 0) | (column == wide) | (row == 0) | (row == high))
    if len(near) > GROUPED_UP_TO and (wide > 0 or high > 0):
        return columns, rows, locations
    cell = locations.copy()
    cell[near] = int(locations.max()) + 1 + np.unique(column[near] * (high + 1) + row[near], return_inverse=True)[1]
    return column, row, cell


def useful_ranks(lines: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """How many useful lines lie below each point."""
    sums = np.zeros(int(lines.max()) + 1, dtype=np.int64)
    np.add.at(sums, lines, weights)
    below = np.cumsum(sums)[:-1]
    useful = (below >= k) & (int(sums.sum()) - below >= k)
    return np.concatenate([[0], np.cumsum(useful)])[lines]


def _no_sum_between(loads: np.ndarray, k: int, least: int) -> bool:
    """Whether no sum of some loads lies in k … least - 1; also False where finding out takes too much memory.

    One that does is of loads below k, or a single one. Loads below k that reach k together have a sum below 2 k.
    """
    if least <= k:
        return least == k
    unit = int(np.gcd.reduce(loads))
    if least == -(-k // unit) * unit:
        return True
    if ((loads >= k) & (loads < least)).any():
        return False
    light = loads[loads < k]
    if int(light.sum()) < k:
        return True
    if least >= 2 * k:
        return False
    if len(light) <= LISTED:
        listed = np.zeros(1, dtype=np.int64)
        for load in light.tolist():
            listed = np.concatenate([listed, listed + load])
        return not ((listed >= k) & (listed < least)).any()
    if -(-least // unit) > MOST_BITS:
        return False
    sums, keep = 1, (1 << -(-least // unit)) - 1
    for load in light.tolist():
        sums |= sums << load // unit & keep
    return sums >> -(-k // unit) == 0


def _rectangles(column: np.ndarray, row: np.ndarray) -> int:
    """How many rectangles of whole columns and rows there are."""
    wide, high = int(column.max()) + 1, int(row.max()) + 1
    return wide * (wide + 1) // 2 * (high * (high + 1) // 2)


def _strips(column: np.ndarray, row: np.ndarray, weights: np.ndarray) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """For every run of columns (first, end) the weights of its rows b … d, 0 where d < b.

    They come as matrices of some b, the first of which is told, and all d.
    """
    table = np.zeros((int(column.max()) + 1, int(row.max()) + 1), dtype=np.int64)
    np.add.at(table, (column, row), weights)
    for first in range(len(table)):
        strip = np.zeros(table.shape[1], dtype=np.int64)
        for end in range(first + 1, len(table) + 1):
            strip = strip + table[end - 1]
            upto = np.cumsum(strip)
            for top in range(0, len(strip), BLOCK):
                yield first, end, top, np.triu(upto[None, :] - (upto - strip)[top : top + BLOCK, None], top)


def _lightest(column: np.ndarray, row: np.ndarray, weights: np.ndarray, k: int) -> list[list[int]]:
    """For every column and row the least weight >= k of a rectangle that holds both."""
    total = int(weights.sum())
    least = np.full((int(column.max()) + 1, int(row.max()) + 1), total, dtype=np.int64)
    for first, end, top, sums in _strips(column, row, weights):
        heavy = np.where(sums >= k, sums, total)
        reaching = np.minimum.accumulate(heavy[:, ::-1], axis=1)[:, ::-1]  # least over all ends from d on
        around = total - np.triu(total - reaching, top).max(axis=0)  # and over the beginnings b up to d
        least[first:end] = np.minimum(least[first:end], around)
    return least.tolist()


def _shares(column: np.ndarray, row: np.ndarray, weights: np.ndarray, k: int) -> int:
    """The lightest rectangle that weighs no less than the average of as many classes as the cells' shares allow."""
    least = _lightest(column, row, weights, k)
    inside: dict[int, int] = {}
    for x, y, weight in zip(column.tolist(), row.tolist(), weights.tolist(), strict=True):
        inside[least[x][y]] = inside.get(least[x][y], 0) + weight
    shares = sum(-(-weight * SHARE // rectangle) for rectangle, weight in inside.items())  # each rounded up
    total = int(weights.sum())
    average = -(-total // (shares // SHARE))
    return min(int(sums[sums >= average].min(initial=total)) for *_, sums in _strips(column, row, weights))
