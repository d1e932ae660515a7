"""How long the borders between classes are: a figure for how compact they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from kanon_engine.io.crs import is_degrees
from kanon_engine.io.measured import metres
from kanon_engine.regions.instance import Regions


@dataclass(frozen=True)
class Perimeter:
    """Length of the borders between classes.

    Attributes
    ----------
    share : float
        Of the length of all common borders between areas, 0 to 1.
    kilometres : float or None
        None where the coordinate system is not known.
    """

    share: float
    kilometres: float | None


def perimeter(regions: Regions, assignment: np.ndarray) -> Perimeter | None:
    """The borders that lie between two classes; borders to the outside are the same in every partition.

    Areas that were joined across water, or meet in a point, share no border.

    Parameters
    ----------
    regions : Regions
    assignment : (n,) int array
        Class of each area.

    Returns
    -------
    Perimeter or None
        None without shapes, or where no two areas share a border.

    Example
    -------
    >>> import geopandas
    >>> squares = geopandas.GeoSeries([shapely.box(x, 0, x + 1000, 1000) for x in (0, 1000, 2000)], crs="EPSG:3035")
    >>> row = Regions("abc", [1, 1, 1], [(0, 1), (1, 2)], squares)
    >>> perimeter(row, np.array([0, 0, 1]))
    Perimeter(share=0.5, kilometres=1.0)
    """
    if regions.geometry is None or not len(regions.edges):
        return None
    shapes = np.asarray(regions.geometry, dtype=object)
    outlines = shapely.boundary(shapes)
    borders = shapely.intersection(outlines[regions.edges[:, 0]], outlines[regions.edges[:, 1]])
    along = metres(borders, regions.geometry.crs)
    lengths = shapely.length(borders) if along is None else along
    if not lengths.any():
        return None
    between = assignment[regions.edges[:, 0]] != assignment[regions.edges[:, 1]]
    kilometres = None if along is None else float(along[between].sum()) / 1000
    return Perimeter(float(lengths[between].sum() / lengths.sum()), kilometres)


def polsby_popper(regions: Regions, assignment: np.ndarray) -> np.ndarray | None:
    """How round each class is: 4 π area / perimeter², 1 for a circle (Polsby, Popper 1991).

    Parameters
    ----------
    regions : Regions
    assignment : (n,) int array
        Class of each area, numbered 0…m-1, or -1.

    Returns
    -------
    (m,) float64 array or None
        None without shapes; NaN for a class of which no area has one.

    Example
    -------
    >>> import geopandas
    >>> squares = geopandas.GeoSeries([shapely.box(x, 0, x + 1000, 1000) for x in (0, 1000, 2000)], crs="EPSG:3035")
    >>> polsby_popper(Regions("abc", [1, 1, 1], [(0, 1), (1, 2)], squares), np.array([0, 0, 1])).round(3).tolist()
    [0.698, 0.785]
    """
    if regions.geometry is None:
        return None
    shapes = np.asarray(regions.geometry, dtype=object)
    classes = range(int(assignment.max()) + 1)
    return roundness([shapely.union_all(shapes[assignment == own]) for own in classes], regions.geometry.crs)


def roundness(shapes: Sequence[shapely.Geometry], crs: Any) -> np.ndarray:
    """(n,) float64: how round each shape is, as `polsby_popper`; NaN for one without an outline."""
    found = np.full(len(shapes), np.nan)
    for place, whole in enumerate(shapes):
        if crs is not None and is_degrees(crs):
            area, around = crs.get_geod().geometry_area_perimeter(whole)
        else:
            area, around = whole.area, whole.length
        if around:
            found[place] = 4 * np.pi * abs(area) / around**2
    return found
