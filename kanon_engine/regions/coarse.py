"""Shapes of groups that are made of no corner of an area: squares of a grid."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions

MOST_SQUARES = 400_000
FINER = 3  # times that the squares are made smaller, by half or more, down to a tenth, so that no group is without one


@dataclass(frozen=True, eq=False)
class CoarseShapes:
    """Each class as squares of a grid.

    Attributes
    ----------
    shapes : (classes,) array of polygons and multipolygons
    side : float
        Of a square, in the unit of the coordinates.
    """

    shapes: np.ndarray
    side: float


def coarse_shapes(regions: Regions, g: Generalization) -> CoarseShapes:
    """The classes as unions of the squares whose middles lie in them.

    The grid begins at 0, its side is 1, 2 or 5 times a power of ten, about that of an area, or less where a class would
    be without a square. So every corner is a corner of the grid and tells where a border runs to about a side, unless
    the areas lie on that grid themselves. A class whose areas have no shapes has none either.

    Example
    -------
    >>> import geopandas
    >>> import kanon_engine as kanon
    >>> shapes = geopandas.GeoSeries([shapely.box(0.1 + x, 0.2, 1.1 + x, 1.3) for x in range(4)])
    >>> line = kanon.Regions("abcd", [1, 1, 1, 1], [(0, 1), (1, 2), (2, 3)], shapes)
    >>> made = coarse_shapes(line, kanon.generalize(line, 2, "tree-split"))
    >>> made.side, [shape.bounds for shape in made.shapes]
    (1.0, [(0.0, 0.0, 2.0, 1.0), (2.0, 0.0, 4.0, 1.0)])
    """
    if regions.geometry is None:
        raise ValueError("these areas have no shapes")
    shapes = regions.geometry.to_numpy()
    there = ~(shapely.is_missing(shapes) | shapely.is_empty(shapes))
    shapes, classes = shapes[there], g.assignment[there]
    west, south, east, north = shapely.total_bounds(shapes)
    areas = shapely.area(shapes)
    side = _round(float(np.sqrt(np.median(areas[areas > 0]))) if (areas > 0).any() else max(east - west, 1e-9))
    least = np.sqrt((east - west) * (north - south) / MOST_SQUARES)
    while side < least:
        side = _round(2 * side, up=True)
    tree = shapely.STRtree(shapes)
    for halved in range(FINER + 1):
        squares, owners = _filled(tree, classes, (west, south, east, north), side)
        finer = _round(side / 2)
        if np.isin(classes, owners).all() or halved == FINER or finer < least:
            break
        side = finer
    squares, owners = _with_every_class(shapes, classes, squares, owners, side)
    corners = squares[:, None, :] * side + np.array([(0, 0), (side, side)])[None]
    boxes = shapely.box(*np.round(corners.reshape(-1, 4), _decimals(side)).T)
    order = np.argsort(owners, kind="stable")
    parts = np.split(boxes[order], np.searchsorted(owners[order], np.arange(1, g.classes)))
    return CoarseShapes(np.array([shapely.coverage_union_all(part) for part in parts]), side)


def _round(length: float, up: bool = False) -> float:
    """The nearest 1, 2 or 5 times a power of ten from below, or from above."""
    power = 10.0 ** np.floor(np.log10(length))
    steps = [1.0, 2.0, 5.0, 10.0]
    near = 1e-9
    good = [
        step for step in steps if (step * power >= length * (1 - near)) == up or abs(step * power / length - 1) < near
    ]
    return float(f"{(min(good) if up else max(good)) * power:.6g}")


def _decimals(side: float) -> int:
    return max(0, 2 - int(np.floor(np.log10(side))))


def _filled(
    tree: shapely.STRtree, assignment: np.ndarray, bounds: tuple[float, float, float, float], side: float
) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the grid, by column and row, whose middles lie in an area, and the class of each."""
    west, south, east, north = bounds
    columns = np.arange(np.floor(west / side), np.ceil(east / side) + 1)
    rows = np.arange(np.floor(south / side), np.ceil(north / side) + 1)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    place, area = tree.query(shapely.points((grid + 0.5) * side), predicate="intersects")
    place, first = np.unique(place, return_index=True)
    return grid[place], assignment[area[first]]


def _with_every_class(
    shapes: np.ndarray, assignment: np.ndarray, squares: np.ndarray, owners: np.ndarray, side: float
) -> tuple[np.ndarray, np.ndarray]:
    """A class without a square is given a new one, or that of its neighbour, around a point inside its largest area."""
    of_class = owners.tolist()
    held = Counter(of_class)
    first = {square: place for place, square in reversed(list(enumerate(map(tuple, squares.tolist()))))}
    new = []
    for number in np.setdiff1d(assignment, owners).tolist():
        members = shapes[assignment == number]
        largest = members[np.argmax(shapely.area(members))]
        square = tuple(np.floor(shapely.get_coordinates(shapely.point_on_surface(largest))[0] / side).tolist())
        place = first.get(square)
        if place is not None and held[of_class[place]] > 1:
            held[of_class[place]] -= 1
            of_class[place] = number
        else:
            first.setdefault(square, len(of_class))
            new.append(square)
            of_class.append(number)
        held[number] += 1
    return np.concatenate([squares, np.reshape(new, (-1, 2))]), np.array(of_class)
