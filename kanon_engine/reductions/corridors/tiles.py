"""Rectangles of cells within two weights: all of them, a tiling with them, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.model.classes import members_of
from kanon_engine.reductions.connected import classes_of
from kanon_engine.reductions.exact_cover import exact_cover
from kanon_engine.reductions.model import Carried


def as_grid(carried: Carried) -> np.ndarray:
    """(rows, columns) positions of the points, which lie at every place of a grid of distance 1, from below."""
    x, y = (carried.instance.xy - carried.instance.xy.min(axis=0)).astype(np.int64).T
    grid = np.full((y.max() + 1, x.max() + 1), -1)
    grid[y, x] = np.arange(len(x))
    return grid


def rectangles(weights: np.ndarray, low: int, high: int) -> Iterator[tuple[int, int, int, int]]:
    """Every rectangle of cells of weight low … high: rows from, to, columns from, to; the ends are outside.

    Weights are at least 1, so few are tried.

    Example
    -------
    >>> list(rectangles(np.array([[1, 2, 1]]), 3, 3))
    [(0, 1, 0, 2), (0, 1, 1, 3)]
    """
    rows, columns = weights.shape
    for top in range(rows):
        for left in range(columns):
            widest = columns
            for bottom in range(top + 1, rows + 1):
                if left + 1 > widest or weights[top:bottom, left].sum() > high:
                    break
                for right in range(left + 1, widest + 1):
                    total = weights[top:bottom, left:right].sum()
                    if total > high:
                        widest = right - 1
                        break
                    if total >= low:
                        yield top, bottom, left, right


def tiling(carried: Carried, most: int | None = None) -> np.ndarray | None:
    """Classes of weight k … threshold whose rectangles tile the plane, as (n,) int32; None where there are none.

    `most` is how many classes there may be, if that is limited. What m classes lack of the threshold adds up to m times
    the threshold less all records, so that limits what they lack together.

    There is a point at every place of the grid, so a tiling of the plane is one of the cells around these places: its
    lines between two columns of points can all be moved to the middle between them.
    """
    grid = as_grid(carried)
    weights = carried.instance.weights[grid]
    sets = [
        tuple(grid[top:bottom, left:right].ravel().tolist())
        for top, bottom, left, right in rectangles(weights, carried.k, int(carried.threshold))
    ]
    shared = np.zeros(len(carried.instance), dtype=bool)
    for members in sets:
        if len(members) > 1:
            shared[list(members)] = True
    alone = [members for members in sets if len(members) == 1 and not shared[members[0]]]
    left = [members for members in sets if len(members) > 1 or shared[members[0]]]
    open_cells = np.setdiff1d(np.arange(len(shared)), [members[0] for members in alone])
    place = {cell: number for number, cell in enumerate(open_cells.tolist())}
    lacking: list[int] = []
    budget = 0
    if most is not None:
        high, held = int(carried.threshold), carried.instance.weights
        lacking = [high - int(held[list(members)].sum()) for members in left]
        budget = most * high - carried.instance.total - sum(high - int(held[one].sum()) for (one,) in alone)
        if budget < 0:
            return None
    chosen = exact_cover(len(place), [[place[cell] for cell in members] for members in left], lacking, budget)
    return None if chosen is None else classes_of([*alone, *(left[number] for number in chosen)], len(shared))


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Why classes are no rectangles, or not of weight k … threshold, with the gadget; "" where they are."""
    points = carried.instance
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"The location {points.ids[loose[0]]} of the {carried.gadget_of(int(loose[0])).name} is in no group."
    for members in members_of(assignment, int(assignment.max()) + 1):
        total = int(points.weights[members].sum())
        where = carried.gadget_of(int(members[0])).name if len(members) else "end"
        if not carried.k <= total <= carried.threshold:
            return f"A group at the {where} holds {total} records where {carried.asked} are asked."
        if np.prod(np.ptp(points.xy[members], axis=0) + 1) != len(members):
            return f"A group at the {where} is no rectangle of its own."
    return ""
