"""Points that no tiling can separate, because no line between them leaves weight k on both sides."""

from __future__ import annotations

import numpy as np

from kanon_engine.rectangles.grid import inner_span
from kanon_engine.rectangles.instance import Points

LARGEST_STRIPS = 200_000  # points near the sides up to which they are grouped; part of what "cells" means


def collapsed(values: np.ndarray, span: tuple[float, float] | None) -> np.ndarray:
    """Coordinates with those that no useful line separates made equal."""
    return np.zeros(len(values)) if span is None else np.clip(values, *span)


def cells(points: Points, k: int) -> tuple[np.ndarray, int, bool]:
    """Weights of the cells: groups of points that lie in one class of every tiling with classes of weight >= k.

    Why no tiling separates them: docs/proofs/rectangles/bounds.md, cells. The lines that separate nothing are those
    near the sides of the bounding box.

    Returns
    -------
    weights : (c,) int64 array
        Of the cells, in no special order. Where more than 200,000 points lie near the sides, every location is a cell.
    heaviest : int
        Position of a point in the heaviest cell.
    alone : bool
        Whether that cell is a single location.

    Example
    -------
    The paper's degenerate case: no line leaves k = 3 on both sides.

    >>> cells(Points([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)], [2, 2, 2, 2, 3]), 3)
    (array([11]), 0, False)
    """
    spans = [inner_span(points.xy[:, axis], points.weights, k) for axis in range(2)]
    loads, place = points.location_weights, points.locations
    if spans[0] is None and spans[1] is None:
        return np.array([points.total]), 0, len(loads) == 1
    outer = np.zeros(len(points), dtype=bool)
    for axis, span in enumerate(spans):
        outer |= True if span is None else (points.xy[:, axis] <= span[0]) | (points.xy[:, axis] >= span[1])
    near = np.flatnonzero(outer)
    if len(near) > LARGEST_STRIPS:
        heaviest = int(np.argmax(loads))
        return loads, int(np.argmax(place == heaviest)), True
    x, y = (collapsed(points.xy[near, axis], spans[axis]) for axis in range(2))
    group = np.unique(x + 1j * y, return_inverse=True)[1]
    joined = np.bincount(group, weights=points.weights[near]).astype(np.int64)
    apart = np.ones(len(loads), dtype=bool)
    apart[place[near]] = False
    if apart.any() and int(loads[apart].max()) >= int(joined.max()):
        number = int(np.flatnonzero(apart)[np.argmax(loads[apart])])
        return np.concatenate([joined, loads[apart]]), int(np.argmax(place == number)), True
    heaviest = int(near[np.argmax(group == np.argmax(joined))])
    alone = int(loads[place[heaviest]]) == int(joined.max())
    return np.concatenate([joined, loads[apart]]), heaviest, alone
