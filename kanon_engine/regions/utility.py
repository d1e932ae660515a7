"""What a grouping of areas loses: how large groups are on the ground, how long their borders are, and how compact they
are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from kanon_engine.io.coordinates import is_degrees, meters, square_kilometers
from kanon_engine.model.measure import Measure, area_measures, short
from kanon_engine.model.words import counted, number_text
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.release import dissolved, whole_shape

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


LENGTH = "Length on the ellipsoid if coordinates are degrees, otherwise in the map's projection."
POLSBY_POPPER = "4 π area / perimeter² (Polsby, Popper 1991); the median."
NO_SHAPES = "not computed: the areas have no shapes"
NO_SYSTEM = "not computed: the coordinate system of the shapes is unknown"


def utility(regions: Regions, g: Generalization) -> tuple[Measure, ...]:
    """Areas in a group, the area of groups, borders, compactness."""
    count = np.bincount(g.assignment[g.assignment >= 0], minlength=g.classes)
    areas: np.ndarray | str = NO_SHAPES
    unknown: tuple[float | None, str] = (None, NO_SHAPES)
    between = share = outline = round_ = unknown
    if regions.geometry is not None:
        crs = regions.geometry.crs
        shapes = np.asarray(dissolved(regions.geometry.to_numpy(), g), dtype=object)
        square_km = square_kilometers(shapes, crs)
        areas = NO_SYSTEM if square_km is None else square_km
        borders = perimeter(regions, g.assignment)
        if borders is None:
            between = share = None, "none: no two areas share a border"
        else:
            share = borders.share, f"{number_text(100 * borders.share, 4)} %"
            between = _kilometers(borders.kilometers)
        around = meters(np.array([shapely.boundary(whole_shape(shapes))], dtype=object), crs)
        outline = _kilometers(None if around is None else float(around[0]) / 1000)
        measured = roundness(list(shapes), crs)
        measured = measured[~np.isnan(measured)]
        if len(measured):
            middle, least = float(np.median(measured)), float(measured.min())
            round_ = middle, f"{middle:.3g}; the lowest of {counted(len(measured), 'group')} is {least:.3g}"
    left = "The share of all borders between areas that still separates two groups."
    ragged = "1 is a circle; long or ragged groups are near 0."
    return (
        Measure(
            "areas-in-group",
            "Areas in a group",
            float(np.median(count)),
            f"{short(float(np.median(count)))} in the median group, {int(count.max()):,} at most",
            "Readers of the release cannot distinguish areas within a group.",
            "Number of areas: the median and the largest.",
        ),
        *area_measures("group", areas, g.class_weights, regions.unit),
        Measure("border-between", "Borders between groups", *between, "Shorter borders mean rounder groups.", LENGTH),
        Measure("border-share", "Remaining borders", *share, left, LENGTH),
        Measure(
            "outline", "Outline of all groups together", *outline, "This length is the same in every grouping.", LENGTH
        ),
        Measure("compactness", "Compactness of the median group", *round_, ragged, POLSBY_POPPER),
    )


def _kilometers(length: float | None) -> tuple[float | None, str]:
    return (None, NO_SYSTEM) if length is None else (length, f"{short(length)} km")


@dataclass(frozen=True)
class Perimeter:
    """Length of the borders between classes."""

    share: float  # of the length of all common borders between areas, 0 to 1
    kilometers: float | None  # None if the coordinate system is unknown


def perimeter(regions: Regions, assignment: np.ndarray) -> Perimeter | None:
    """The borders that lie between two classes; borders to the outside are the same in every partition.

    Areas that were joined across water, or meet in a point, share no border.

    `assignment`: (n,) int. Class of each area.
    Returns: None without shapes, or if no two areas share a border.

    >>> import geopandas
    >>> squares = geopandas.GeoSeries([shapely.box(x, 0, x + 1000, 1000) for x in (0, 1000, 2000)], crs="EPSG:3035")
    >>> row = Regions("abc", [1, 1, 1], [(0, 1), (1, 2)], squares)
    >>> perimeter(row, np.array([0, 0, 1]))
    Perimeter(share=0.5, kilometers=1.0)
    """
    if regions.geometry is None or not len(regions.edges):
        return None
    shapes = np.asarray(regions.geometry, dtype=object)
    outlines = shapely.boundary(shapes)
    borders = shapely.intersection(outlines[regions.edges[:, 0]], outlines[regions.edges[:, 1]])
    along = meters(borders, regions.geometry.crs)
    lengths = shapely.length(borders) if along is None else along
    if not lengths.any():
        return None
    between = assignment[regions.edges[:, 0]] != assignment[regions.edges[:, 1]]
    kilometers = None if along is None else float(along[between].sum()) / 1000
    return Perimeter(float(lengths[between].sum() / lengths.sum()), kilometers)


def polsby_popper(regions: Regions, assignment: np.ndarray) -> np.ndarray | None:
    """How round each class is: 4 π area / perimeter², 1 for a circle (Polsby, Popper 1991).

    `assignment`: (n,) int. Class of each area, numbered 0…m-1, or -1.
    Returns (m,) float64 array or None: None without shapes; NaN for a class none of whose areas has one.

    >>> import geopandas
    >>> squares = geopandas.GeoSeries([shapely.box(x, 0, x + 1000, 1000) for x in (0, 1000, 2000)], crs="EPSG:3035")
    >>> polsby_popper(Regions("abc", [1, 1, 1], [(0, 1), (1, 2)], squares), np.array([0, 0, 1])).round(3).tolist()
    [0.698, 0.785]
    """
    if regions.geometry is None:
        return None
    shapes = np.asarray(regions.geometry, dtype=object)
    classes = range(int(assignment.max()) + 1)
    return roundness([shapely.union_all(shapes[assignment == number]) for number in classes], regions.geometry.crs)


def roundness(shapes: Sequence[shapely.Geometry], crs: Any) -> np.ndarray:
    """(n,) float64: how round each shape is, as `polsby_popper`; NaN for one without an outline."""
    result = np.full(len(shapes), np.nan)
    for place, whole in enumerate(shapes):
        if crs is not None and is_degrees(crs):
            area, around = crs.get_geod().geometry_area_perimeter(whole)
        else:
            area, around = whole.area, whole.length
        if around:
            result[place] = 4 * np.pi * abs(area) / around**2
    return result
