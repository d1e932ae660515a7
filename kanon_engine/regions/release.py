"""What is released of a grouping of areas as a file: sizes, shapes, a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.regions.contiguity import repaired
from kanon_engine.regions.group_names import group_names
from kanon_engine.regions.group_sums import carried_frame
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released, id_in, require_no_columns
from kanon_engine.release.placing import Placed, by_code, one_column
from kanon_engine.release.publication import Offered, groups_offered, shapes_offered, told_alone
from kanon_engine.release.released import Released

if TYPE_CHECKING:
    import geopandas
    import pandas as pd
    from plotly import graph_objects as go

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


SQUARES = (
    "The shape of every group with its size. Shapes are made of grid squares. Each square is about as large as a "
    "typical area on the map, or smaller, so a border is shown only roughly, to within about the width of a square."
)
UNSAID = (
    "Internal: exact borders reveal which areas are in a group. They may be published if the codes of these areas are "
    "public knowledge, such as zip codes (--codes-are-public); otherwise use squares of a grid "
    "(--codes-are-not-public)."
)


def files(regions: Regions, g: Generalization, codes_are_public: bool | None = None) -> list[Offered]:
    """Groups with and without their shapes.

    Parameters
    ----------
    codes_are_public : bool, optional
        Whether anybody can look up which place each area's code stands for; if so, shapes with exact borders may be
        published. If they are not public, shapes are squares of a grid. None if not stated: exact borders are then
        internal.
    """
    alone = told_alone(regions, g, "area")
    contents = f"The size of every group and how many areas it has, but not which ones. {alone}"
    groups = groups_offered(g, contents, True, lambda: groups_frame(regions, g))
    if regions.geometry is None:
        return [groups]
    if codes_are_public is False:
        return [shapes_offered(g, f"{SQUARES} {alone}", True, lambda: shapes_frame(regions, g, True)), groups]
    description = f"The shape of every group, in full detail, and its size. {alone}"
    shapes = description if codes_are_public else f"{description} {UNSAID}"
    return [shapes_offered(g, shapes, bool(codes_are_public), lambda: shapes_frame(regions, g)), groups]


def frame(
    regions: Regions, g: Generalization, keep: Sequence[str] = (), codes_are_public: bool = False
) -> pd.DataFrame:
    """The groups, with exact borders if the codes of areas are public, otherwise as squares of a grid."""
    return groups_frame(regions, g) if regions.geometry is None else shapes_frame(regions, g, not codes_are_public)


def released(
    regions: Regions,
    g: Generalization,
    keep: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    codes_are_public: bool = False,
) -> Released:
    """The groups, with the sums of the second counts to keep; if codes are public, with their names and codes."""
    require_no_columns("areas", (), sensitive)
    carried = carried_frame(regions, g, list(keep or ()), ())
    sums = {str(name): carried[name].to_numpy() for name in carried.columns}
    if not codes_are_public:
        return groups_released(regions, g, sums=sums)
    names = group_names(regions, g.assignment, codes_are_public=True)
    return groups_released(regions, g, {"name": names}, sums, {"group": group_codes(regions, g)})


def group_codes(regions: Regions, g: Generalization) -> dict[int, tuple[str | int, ...]]:
    """The codes of the areas in each group, by its number from 1."""
    members = members_of(g.assignment, g.classes)
    return {number: tuple(sorted(regions.ids[areas].tolist(), key=str)) for number, areas in enumerate(members, 1)}


def private(regions: Regions, g: Generalization, frame: pd.DataFrame, codes_are_public: bool | None = None) -> str:
    """The code of an area that appears in a table of groups although codes are not public; "" if none does."""
    return "" if codes_are_public else id_in(frame, regions.ids.tolist(), [regions.unit])


def picture(regions: Regions, g: Generalization, codes_are_public: bool | None = None) -> go.Figure:
    """The outlines of areas and the group of each, but no area's own count."""
    from kanon_engine.regions.plot import regions_map

    return regions_map(regions, g)


def pictured(regions: Regions, g: Generalization, codes_are_public: bool | None = None) -> tuple[str, bool]:
    """A description of the picture, and whether it may be published."""
    words = f"It shows the outlines of areas and the size of each area's group. {told_alone(regions, g, 'area')}"
    if codes_are_public:
        return words, True
    return f"{words} Internal: outlines reveal which areas are in a group.", False


def shapes_frame(regions: Regions, g: Generalization, squares: bool = False) -> geopandas.GeoDataFrame:
    """The columns of `groups_frame` and the shape of each group, in full detail or as squares of a grid.

    Nothing about a single area: no id, no weight, and no border inside a group.

    Raises
    ------
    InvalidInput : The areas have no shapes.
    """
    if regions.geometry is None:
        raise InvalidInput("These areas have no shapes; use the table of groups instead, or read a file with shapes.")
    import geopandas

    shapes = list(coarse_shapes(regions, g).shapes) if squares else dissolved(regions.geometry.to_numpy(), g)
    return geopandas.GeoDataFrame(groups_frame(regions, g), geometry=shapes, crs=regions.geometry.crs)


def dissolved(shapes: np.ndarray, g: Generalization) -> list[shapely.Geometry]:
    """One shape per class, from shapes by position."""
    return [whole_shape(shapes[members]) for members in members_of(g.assignment, g.classes)]


def whole_shape(shapes: np.ndarray) -> shapely.Geometry:
    """One shape from several, valid or not: simplified and rounded ones may cross themselves.

    Shapes that fit together are joined only along their borders, which is fast.
    """
    valid = repaired(shapes)
    if shapely.coverage_is_valid(valid):
        with suppress(shapely.GEOSException):  # it may find that they overlap after all
            union = shapely.coverage_union_all(valid)
            if union.is_valid:
                return union
    return shapely.union_all(valid)


MOST_SQUARES = 400_000
FINER = 3  # how often the squares are made smaller, by half or more, down to a tenth, so that no group is without one


@dataclass(frozen=True, eq=False)
class CoarseShapes:
    """Each class as squares of a grid."""

    shapes: np.ndarray  # (classes,) array of polygons and multipolygons
    side: float  # of a square, in the unit of the coordinates


def coarse_shapes(regions: Regions, g: Generalization) -> CoarseShapes:
    """The classes as unions of the squares whose centers lie in them.

    The grid begins at 0. Its side is 1, 2 or 5 times a power of ten, about that of an area, or less if a class would be
    without a square. So every corner is a corner of the grid and reveals a border only to about one side, unless the
    areas themselves lie on that grid. A class whose areas have no shapes has none either.

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
    decimals = max(0, 2 - int(np.floor(np.log10(side))))
    boxes = shapely.box(*np.round(corners.reshape(-1, 4), decimals).T)
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


def _filled(
    tree: shapely.STRtree, assignment: np.ndarray, bounds: tuple[float, float, float, float], side: float
) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the grid, by column and row, whose centers lie in an area, and the class of each."""
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
    """A class without a square is given a new one, or that of its neighbor, around a point inside its largest area."""
    of_class = owners.tolist()
    square_counts = Counter(of_class)
    first = {square: place for place, square in reversed(list(enumerate(map(tuple, squares.tolist()))))}
    new = []
    for number in np.setdiff1d(assignment, owners).tolist():
        members = shapes[assignment == number]
        largest = members[np.argmax(shapely.area(members))]
        square = tuple(np.floor(shapely.get_coordinates(shapely.point_on_surface(largest))[0] / side).tolist())
        place = first.get(square)
        if place is not None and square_counts[of_class[place]] > 1:
            square_counts[of_class[place]] -= 1
            of_class[place] = number
        else:
            first.setdefault(square, len(of_class))
            new.append(square)
            of_class.append(number)
        square_counts[number] += 1
    return np.concatenate([squares, np.reshape(new, (-1, 2))]), np.array(of_class)


def placed(
    regions: Regions, g: Generalization, records: pd.DataFrame, by: Sequence[str], codes_are_public: bool = False
) -> Placed:
    """Group names in place of codes; if codes are public, groups are named after places."""
    column = one_column(by, "area")
    classes, reasons, read_as = by_code(regions.ids.tolist(), g.assignment, records[column])
    names = group_names(regions, g.assignment, codes_are_public=codes_are_public)
    codes = {name: tuple(map(str, areas)) for name, areas in zip(names, group_codes(regions, g).values(), strict=True)}
    return Placed(classes, reasons, (column,), {"group": names}, {"group": codes} if codes_are_public else {}, read_as)
