"""What of a grouping of areas leaves as a file, and may be published: sizes, shapes, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.model.classes import members_of
from kanon_engine.regions.coarse import coarse_shapes
from kanon_engine.regions.group_names import group_names
from kanon_engine.regions.group_sums import carried_frame
from kanon_engine.regions.read.shapes import repaired
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released, require_no_columns
from kanon_engine.release.private import id_in
from kanon_engine.release.publication import Offered, groups_offered, shapes_offered, told_alone
from kanon_engine.release.released import Released

if TYPE_CHECKING:
    import geopandas
    import pandas as pd
    from plotly import graph_objects as go

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


SQUARES = (
    "The shape of every group with its size. Shapes are made of squares of a grid, about as large as an area or "
    "smaller, which tell to about the side of a square where a border runs."
)
UNSAID = (
    "Internal: exact borders tell which areas are in a group. They may be published where the codes of these areas are "
    "public geography, as zip codes are (--codes-are-public); where they are not, take squares of a grid "
    "(--codes-are-not-public)."
)


def files(regions: Regions, g: Generalization, codes_are_public: bool | None = None) -> list[Offered]:
    """Groups with and without their shapes.

    Parameters
    ----------
    codes_are_public : bool, optional
        Whether anybody can look up which places the codes of areas stand for: then shapes with exact borders may be
        published. Where they are not public, shapes are squares of a grid. None where nobody said: then exact borders
        are internal.
    """
    alone = told_alone(regions, g, "area")
    contents = f"Size and number of areas of every group, without the areas. {alone}"
    groups = groups_offered(g, contents, True, lambda: groups_frame(regions, g))
    if regions.geometry is None:
        return [groups]
    if codes_are_public is False:
        return [shapes_offered(g, f"{SQUARES} {alone}", True, lambda: _coarse_frame(regions, g)), groups]
    said = f"The shape of every group in full detail with its size. {alone}"
    shapes = said if codes_are_public else f"{said} {UNSAID}"
    return [shapes_offered(g, shapes, bool(codes_are_public), lambda: shapes_frame(regions, g)), groups]


def frame(
    regions: Regions, g: Generalization, keep: Sequence[str] = (), codes_are_public: bool = False
) -> pd.DataFrame:
    """The groups, with exact borders where the codes of areas are public, else as squares of a grid."""
    if regions.geometry is None:
        return groups_frame(regions, g)
    return shapes_frame(regions, g) if codes_are_public else _coarse_frame(regions, g)


def released(
    regions: Regions,
    g: Generalization,
    keep: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    codes_are_public: bool = False,
) -> Released:
    """The groups, with the sums of the second counts to keep; where codes are public, with their names and codes."""
    require_no_columns("areas", (), sensitive)
    carried = carried_frame(regions, g, list(keep or ()), ())
    sums = {str(name): carried[name].to_numpy() for name in carried.columns}
    if not codes_are_public:
        return groups_released(regions, g, sums=sums)
    names = group_names(regions, g.assignment, codes_are_public=True)
    members = members_of(g.assignment, g.classes)
    codes = {number + 1: tuple(sorted(regions.ids[own].tolist(), key=str)) for number, own in enumerate(members)}
    return groups_released(regions, g, {"name": names}, sums, {"group": codes})


def private(regions: Regions, g: Generalization, frame: pd.DataFrame, codes_are_public: bool | None = None) -> str:
    """The code of an area that stands in a table of groups although codes are not public; "" where none does."""
    return "" if codes_are_public else id_in(frame, regions.ids.tolist(), [regions.unit])


def picture(regions: Regions, g: Generalization, codes_are_public: bool | None = None) -> go.Figure:
    """The outlines of areas and the group of each, but no area's own count."""
    from kanon_engine.regions.plot import regions_map

    return regions_map(regions, g)


def pictured(regions: Regions, g: Generalization, codes_are_public: bool | None = None) -> tuple[str, bool]:
    """What is in the picture, and whether it may be published."""
    words = f"It shows the outlines of areas and the size of the group of each. {told_alone(regions, g, 'area')}"
    if codes_are_public:
        return words, True
    return f"{words} Internal: outlines tell which areas are in a group.", False


def shapes_frame(
    regions: Regions, g: Generalization, shapes: Sequence[shapely.Geometry] | None = None
) -> geopandas.GeoDataFrame:
    """One row a group, for GeoPackage or GeoJSON, with its shape.

    Nothing of a single area: no id, no weight, and no border inside a group.

    Parameters
    ----------
    regions : Regions
        With shapes.
    g : Generalization
    shapes : sequence of polygons and multipolygons, optional
        Of each class; in full detail where they are left out.

    Returns
    -------
    GeoDataFrame
        The columns of `groups_frame`, and geometry.

    Raises
    ------
    InvalidInput
        The areas have no shapes.
    """
    if regions.geometry is None:
        raise InvalidInput("These areas have no shapes; take the table of groups instead, or read a file with shapes.")
    import geopandas

    united = dissolved(regions.geometry.to_numpy(), g) if shapes is None else list(shapes)
    return geopandas.GeoDataFrame(groups_frame(regions, g), geometry=united, crs=regions.geometry.crs)


def _coarse_frame(regions: Regions, g: Generalization) -> geopandas.GeoDataFrame:
    return shapes_frame(regions, g, coarse_shapes(regions, g).shapes.tolist())


def dissolved(shapes: np.ndarray, g: Generalization) -> list[shapely.Geometry]:
    """One shape a class, of shapes by position."""
    return [whole_shape(shapes[own]) for own in members_of(g.assignment, g.classes)]


def whole_shape(shapes: np.ndarray) -> shapely.Geometry:
    """One shape from several, whether they are valid or not: simplified and rounded ones may cross themselves.

    Those that fit together are joined along their borders alone, which is fast.
    """
    valid = repaired(shapes)
    if shapely.coverage_is_valid(valid):
        with suppress(shapely.GEOSException):  # it may find that they overlap after all
            joined = shapely.coverage_union_all(valid)
            if joined.is_valid:
                return joined
    return shapely.union_all(valid)
