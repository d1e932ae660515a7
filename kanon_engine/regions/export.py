"""What leaves the house: classes with their shapes, and the internal mapping from areas to classes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.errors import InvalidInput

if TYPE_CHECKING:
    from kanon_engine.generalization import Generalization
    from kanon_engine.regions.instance import Regions


def classes_frame(regions: Regions, g: Generalization) -> pd.DataFrame:
    """One row a class: number from 0, weight, areas, weight / k, and the shape in full detail where there is one.

    Nothing of a single area: no id, no weight, and no border inside a class.

    Returns
    -------
    GeoDataFrame, or DataFrame where the areas have no shapes
    """
    frame = pd.DataFrame(
        {
            "class": np.arange(g.classes),
            "weight": g.class_weights,
            "unit": regions.unit,
            "areas": np.bincount(g.assignment, minlength=g.classes),
            "overfull_ratio": g.class_weights / g.k,
        }
    )
    if regions.geometry is None:
        return frame
    import geopandas

    shapes = regions.geometry.to_numpy()
    order = np.argsort(g.assignment, kind="stable")
    groups = np.split(shapes[order], np.searchsorted(g.assignment[order], np.arange(1, g.classes)))
    return geopandas.GeoDataFrame(frame, geometry=[_whole(group) for group in groups], crs=regions.geometry.crs)


def _whole(shapes: np.ndarray) -> shapely.Geometry:
    """One shape from several; those that fit together are joined along their borders alone, which is fast."""
    together = shapely.coverage_is_valid(shapes)
    joined = shapely.coverage_union_all(shapes) if together else shapely.union_all(shapes)
    return joined if joined.is_valid else shapely.union_all(shapely.make_valid(shapes))


def crosswalk_frame(regions: Regions, g: Generalization) -> pd.DataFrame:
    """The class of every area, sorted by id, so that the original order is gone. For internal use.

    Returns
    -------
    DataFrame with columns id and class; whole numbers stand before text
    """
    ids = regions.ids.tolist()
    order = sorted(range(len(ids)), key=lambda place: (isinstance(ids[place], str), ids[place]))
    return pd.DataFrame({"id": [ids[place] for place in order], "class": g.assignment[order]})


def geopackage(regions: Regions, g: Generalization) -> bytes:
    """The classes as a GeoPackage file."""
    if regions.geometry is None:
        raise InvalidInput(
            "These areas have no shapes, so there is no GeoPackage of their classes; take the table instead."
        )
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        path = Path(folder, "classes.gpkg")
        frame: Any = classes_frame(regions, g)
        frame.to_file(path, layer="classes", driver="GPKG", engine="pyogrio", promote_to_multi=True)
        return path.read_bytes()
