"""The groups of areas with their shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.release import groups_frame

if TYPE_CHECKING:
    import geopandas

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


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

    shapes = regions.geometry.to_numpy()
    order = np.argsort(g.assignment, kind="stable")
    members = np.split(shapes[order], np.searchsorted(g.assignment[order], np.arange(1, g.classes)))
    united = [_whole(group) for group in members]
    return geopandas.GeoDataFrame(groups_frame(regions, g), geometry=united, crs=regions.geometry.crs)


def _whole(shapes: np.ndarray) -> shapely.Geometry:
    """One shape from several; those that fit together are joined along their borders alone, which is fast."""
    together = shapely.coverage_is_valid(shapes)
    joined = shapely.coverage_union_all(shapes) if together else shapely.union_all(shapes)
    return joined if joined.is_valid else shapely.union_all(shapely.make_valid(shapes))
