"""What the scripts share: where the samples stand, and how areas are written so that shared borders stay shared."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely

SAMPLE_DATA = Path(__file__).resolve().parent.parent


def whole(frame: gpd.GeoDataFrame, columns: list[str]) -> gpd.GeoDataFrame:
    """The columns as integers; raises ValueError if one holds a fraction."""
    for column in columns:
        if (frame[column] != frame[column].round()).any():
            raise ValueError(f"{column} is not a count")
    return frame.astype(dict.fromkeys(columns, "int64"))


def rounded(geometry: gpd.GeoSeries, decimals: int = 5) -> gpd.GeoSeries:
    """Every vertex rounded on its own: equal vertices stay equal, so a border that two areas share stays shared.

    Raises ValueError if rounding made an area invalid or broke the coverage.
    """
    result = shapely.transform(geometry.to_numpy(), lambda xy: np.round(xy, decimals))
    if not shapely.is_valid(result).all():
        raise ValueError(f"{(~shapely.is_valid(result)).sum()} areas are invalid after rounding to {decimals} decimals")
    if not shapely.coverage_is_valid(result):
        raise ValueError(f"the areas overlap or leave gaps along borders after rounding to {decimals} decimals")
    return gpd.GeoSeries(result, index=geometry.index, crs=geometry.crs)


def write_polygons(frame: gpd.GeoDataFrame, name: str, decimals: int = 5) -> Path:
    """Write areas in longitude and latitude as GeoJSON, one feature a line, and return the path."""
    path = SAMPLE_DATA / name
    frame = frame.set_geometry(rounded(frame.geometry, decimals))
    path.unlink(missing_ok=True)
    frame.to_file(path, driver="GeoJSON", engine="pyogrio", COORDINATE_PRECISION=decimals, WRITE_NAME="NO")
    return path
