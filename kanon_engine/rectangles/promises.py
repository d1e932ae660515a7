"""What is proven of rectangles before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.model.objective import times_best
from kanon_engine.rectangles.exact import searched_grid
from kanon_engine.rectangles.grid import useful_lines
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import ceiling
from kanon_engine.rectangles.snap import snap_grid

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def promise(points: Points, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None) -> str:
    """The ceiling on the largest class of these points: the weight that no line can cut, and how far that is from the
    best.

    >>> promise(Points([(0, 3), (1, 2), (2, 1), (3, 0)], [2, 2, 2, 2]), 3, "kd-tree", {"snap": None}).partition(": ")[2]
    'never above 2 times the best possible'
    """
    snap = options.get("snap")
    cells = points if snap is None else snap_grid(points, snap).points
    most = ceiling(cells, k)
    least = max(k, int(cells.location_weights.max()))
    also = ", never above the result of the kd-tree with balanced cuts" if algorithm == "balanced-kd-tree" else ""
    along = "" if snap is None else " along this grid"
    tried = _tried(cells, k) if algorithm == "exact" else ""
    return (
        f"at most {most:,}, the weight of the heaviest set of points that no line can split into two groups{also}: "
        f"{times_best(most, least)}{along}{tried}"
    )


def _tried(points: Points, k: int) -> str:
    """That not all cuts are tried, if there are too many lines; otherwise nothing."""
    if searched_grid(points, k).whole:
        return ""
    wide, high = (len(useful_lines(values, points.weights, k)) for values in points.xy.T)
    return (
        f"; there are too many cuts to try all of them: {wide:,} vertical and {high:,} horizontal lines have at least "
        f"{k:,} {points.unit} on each side"
    )
