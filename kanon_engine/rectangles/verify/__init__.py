"""The independent check of rectangle results: the tiling, its cuts, the points in it, the bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.verify.bounds import check_bound
from kanon_engine.rectangles.verify.ceiling import ceiling_of, ranks
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def verify(points: Points, g: Generalization) -> Iterator[Check]:
    """Every claim that only rectangles make; see `kanon_engine.verification.verify`."""
    details = g.details
    record = isinstance(details, RectangleDetails)
    yield Check("details", record, f"the details are a {type(details).__name__}.")
    yield _rectangle_form(g, details)
    snap = g.options.get("snap")
    box = _box(points.xy) if snap is None else _grid_box(points.xy, snap)
    if snap is not None:
        yield _grid(points.xy, details.rectangles, snap)
    yield _tiling(details.rectangles, box)
    yield _contents(points, g, details.rectangles, box)
    columns, rows, locations = ranks(points.xy)
    first = np.full(locations.max() + 1, -1)
    first[locations] = g.assignment
    together = bool((first[locations] == g.assignment).all())
    yield Check("locations", together, f"points with equal coordinates share a class at all {len(first):,} locations.")
    yield _cuts(g, details, box)
    yield check_bound(points, g, columns, rows, locations)
    if snap is not None:
        columns, rows, locations = ranks(_cells(points.xy, snap))
    if g.require:
        yield Check("guarantee formula", g.guarantee is None, "no ceiling is proven where rectangles were merged.")
        return
    ceiling = ceiling_of(columns, rows, locations, points.weights, g.k)
    yield Check("guarantee formula", g.guarantee == ceiling, f"no rectangle that cannot be cut exceeds {ceiling:,}.")


def _rectangle_form(g: Generalization, details: RectangleDetails) -> Check:
    rule = details.cut == g.options.get("cut", g.algorithm)
    arrays = details.rectangles.dtype == np.float64 and details.splits.dtype == np.float64
    cuts = 0 if _uncut(g, details) else g.classes - 1
    shapes = details.rectangles.shape == (g.classes, 4) and details.splits.shape == (cuts, 3)
    whole = shapes and bool((details.splits[:, :2] == np.floor(details.splits[:, :2])).all())
    detail = f"{len(details.splits):,} cuts by the rule “{details.cut}” make {len(details.rectangles):,} rectangles."
    return Check("rectangles", rule and arrays and whole, detail)


def _uncut(g: Generalization, details: RectangleDetails) -> bool:
    """Whether a tiling that no cuts make was allowed, and is claimed."""
    return g.options.get("guillotine") is False and len(details.splits) == 0


def _box(xy: np.ndarray) -> np.ndarray:
    """The bounding box; a side moves out by one step where the next smaller number is a coordinate too."""
    sides = []
    for values in xy.T:
        top = values.max()
        below = values.max(where=values < top, initial=-np.inf)
        tight = np.isfinite(below) and np.nextafter(below, np.inf) == top
        sides.append((values.min(), np.nextafter(top, np.inf) if tight else top))
    (west, east), (south, north) = sides
    return np.array([west, south, east, north])


def _grid_box(xy: np.ndarray, snap: float) -> np.ndarray:
    """The smallest box on the grid that no point touches."""
    sides = []
    for sign, extremes in ((1, xy.min(axis=0)), (-1, -xy.max(axis=0))):
        for value in extremes.tolist():
            line = math.floor(value / snap)
            while line * snap >= value:
                line -= 1
            while (line + 1) * snap < value:
                line += 1
            sides.append(sign * line * snap + 0.0)
    return np.array(sides)


def _grid(xy: np.ndarray, rectangles: np.ndarray, snap: float) -> Check:
    """Is every side a multiple of the grid's size, and no point's coordinate?"""
    on_grid = bool((np.rint(rectangles / snap) * snap == rectangles).all())
    clear = not any(np.isin(rectangles[:, axis::2], xy[:, axis]).any() for axis in range(2))
    detail = f"all sides are multiples of {snap:.10g}, and none is the coordinate of a point."
    return Check("grid", on_grid and clear, detail)


def _cells(xy: np.ndarray, snap: float) -> np.ndarray:
    """(n, 2) numbers of cells: points between which no multiple of the grid's size fits share one."""
    cells = np.empty_like(xy)
    for axis, values in enumerate(xy.T):
        known, numbers = np.unique(values, return_inverse=True)
        lines = [(np.floor(known[:-1] / snap) + step) * snap for step in range(3)]
        apart = np.any([(known[:-1] < line) & (line < known[1:]) for line in lines], axis=0)
        cells[:, axis] = np.concatenate([[0], np.cumsum(apart)])[numbers]
    return cells


def _tiling(rectangles: np.ndarray, box: np.ndarray) -> Check:
    """Do the rectangles cover the box once everywhere?

    A function that vanishes far below is the double sum of its mixed differences, and for a rectangle those are +1, -1,
    -1, +1 at its corners. So the rectangles cover the box exactly once if and only if their signed corners, added up,
    leave the signed corners of the box.
    """
    corners = []
    for axis in range(2):
        low, high = rectangles[:, axis], rectangles[:, 2 + axis]
        if box[axis] == box[2 + axis]:
            # a box without extent: every rectangle has the same none
            if not ((low == box[axis]) & (high == box[axis])).all():
                return Check("tiling", False, "a rectangle leaves the bounding box.")
            corners.append(np.tile([[0], [1]], len(low)))
            continue
        if not (low < high).all():
            return Check("tiling", False, f"rectangle {int(np.argmin(low < high)) + 1} has no extent.")
        values = np.unique(np.concatenate([low, high]))
        if values[0] != box[axis] or values[-1] != box[2 + axis]:
            return Check("tiling", False, "the rectangles do not span the bounding box.")
        corners.append(np.searchsorted(values, [low, high]))
    (west, east), (south, north) = corners
    width = int(max(west.max(), east.max())) + 1
    keys = np.concatenate([south * width + west, south * width + east, north * width + west, north * width + east])
    signs = np.repeat([1, -1, -1, 1], len(rectangles))
    keys, inverse = np.unique(keys, return_inverse=True)
    sums = np.bincount(inverse, weights=signs)
    top = int(north.max()) * width
    expected = {0: 1, width - 1: -1, top: -1, top + width - 1: 1}
    left = dict(zip(keys[sums != 0].tolist(), sums[sums != 0].tolist(), strict=True))
    return Check("tiling", left == expected, f"{len(rectangles):,} rectangles cover the bounding box without overlap.")


def _contents(points: Points, g: Generalization, rectangles: np.ndarray, box: np.ndarray) -> Check:
    """Rectangles do not overlap, so a point in its own is in no other."""
    own = rectangles[g.assignment]
    inside = np.ones(len(points.xy), dtype=bool)
    for axis in range(2):
        values, low, high = points.xy[:, axis], own[:, axis], own[:, 2 + axis]
        inside &= (low <= values) & ((values < high) | ((values == high) & (high == box[2 + axis])))
    held = int(inside.sum())
    return Check("contents", held == len(inside), f"{held:,} of {len(inside):,} points lie in their class's rectangle.")


def _cuts(g: Generalization, details: RectangleDetails, box: np.ndarray) -> Check:
    """Replay the cuts from the box: each splits a rectangle that is there, and in the end the rectangles are left.

    Where there are no cuts, no sequence of cuts from side to side may make the rectangles.
    """
    if _uncut(g, details) and g.classes > 1:
        return Check("cuts", not _can_be_cut(details.rectangles), "no cuts from side to side make the rectangles.")
    boxes = {0: tuple(box.tolist())}
    for number, (part, axis, line) in enumerate(details.splits.tolist()):
        mine = boxes.pop(int(part), None)
        if mine is None or axis not in (0, 1) or not mine[int(axis)] < line < mine[int(axis) + 2]:
            return Check("cuts", False, f"cut {number + 1} does not split a rectangle.")
        low, high = list(mine), list(mine)
        low[int(axis) + 2] = high[int(axis)] = line
        boxes[2 * number + 1], boxes[2 * number + 2] = tuple(low), tuple(high)
    same = sorted(boxes.values()) == sorted(tuple(row) for row in details.rectangles.tolist())
    return Check("cuts", same, f"{len(details.splits):,} cuts make the rectangles from the bounding box.")


def _can_be_cut(rectangles: np.ndarray) -> bool:
    """Whether lines that cross no rectangle separate all of them, again and again."""
    waiting = [rectangles]
    while waiting:
        part = waiting.pop()
        if len(part) == 1:
            continue
        lines = [(axis, line) for axis in range(2) for line in np.unique(part[:, axis])[1:].tolist()]
        clear = [
            (axis, line) for axis, line in lines if not ((part[:, axis] < line) & (line < part[:, axis + 2])).any()
        ]
        if not clear:
            return False
        axis, line = clear[0]
        low = part[:, axis] < line
        waiting += [part[low], part[~low]]
    return True
