"""What of a grouping of areas leaves as a file, and may be published: sizes, shapes, a picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.release import groups_frame
from kanon_engine.release.publication import Output, groups_file, shape_files, told_alone

if TYPE_CHECKING:
    import geopandas
    from plotly import graph_objects as go

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


def files(regions: Regions, g: Generalization, text: Callable[..., str]) -> list[Output]:
    """Groups with and without their shapes."""
    alone = told_alone(regions, g, "area")
    contents = f"Size and number of areas of every group, without the areas. {alone}"
    groups = groups_file(contents, True, lambda: text(groups_frame(regions, g)))
    if regions.geometry is None:
        return [groups]
    shapes = f"The shape of every group in full detail with its size. {alone}"
    return [*shape_files(shapes, True, lambda: shapes_frame(regions, g)), groups]


def picture(regions: Regions, g: Generalization) -> go.Figure:
    """The outlines of areas, which are public, and the group of each, but no area's own count."""
    from kanon_engine.regions.plot import regions_map

    return regions_map(regions, g)


def pictured(regions: Regions, g: Generalization) -> tuple[str, bool]:
    """What is in the picture, and that it may be published."""
    words = "It shows the outlines of areas, which are public, and the size of the group of each."
    return f"{words} {told_alone(regions, g, 'area')}", True


def shapes_frame(regions: Regions, g: Generalization) -> geopandas.GeoDataFrame:
    """One row a group, for GeoPackage or GeoJSON, with its shape in full detail.

    Nothing of a single area: no id, no weight, and no border inside a group.

    Parameters
    ----------
    regions : Regions
        With shapes.
    g : Generalization

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

    united = dissolved(regions.geometry.to_numpy(), g)
    return geopandas.GeoDataFrame(groups_frame(regions, g), geometry=united, crs=regions.geometry.crs)


def dissolved(shapes: np.ndarray, g: Generalization) -> list[shapely.Geometry]:
    """One shape a class, of shapes by position."""
    order = np.argsort(g.assignment, kind="stable")
    members = np.split(shapes[order], np.searchsorted(g.assignment[order], np.arange(1, g.classes)))
    return [_whole(group) for group in members]


def _whole(shapes: np.ndarray) -> shapely.Geometry:
    """One shape from several; those that fit together are joined along their borders alone, which is fast."""
    together = shapely.coverage_is_valid(shapes)
    joined = shapely.coverage_union_all(shapes) if together else shapely.union_all(shapes)
    return joined if joined.is_valid else shapely.union_all(shapely.make_valid(shapes))
