"""vermont_zip.geojson: approximate zip code areas, the Voronoi cells of Vermont's ZCTA points in its outline.

Usage: python vermont_zip.py USZIPCODE US_ATLAS    (the unpacked uszipcode 0.1.3 and the unpacked us-atlas 3.0.1)
"""

from __future__ import annotations

import sys
from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely
from common import write_polygons
from zcta import as_points, misplaced, read_states, read_zctas

STATE = "Vermont"
POSTAL = "VT"
PLANE = 32145  # EPSG code of the Vermont state plane, in metres: cells are nearest in metres, not in degrees
GRID = 1e-5  # degrees: all lines are noded on this grid, so that the file's five decimals lose nothing


def cells(points: gpd.GeoSeries, outline: gpd.GeoSeries) -> list[shapely.Geometry]:
    """The part of the outline nearest to each point; borders between cells are the same vertices on both sides."""
    plane_points = points.to_crs(PLANE)
    box = outline.to_crs(PLANE).union_all().envelope
    edges = shapely.voronoi_polygons(shapely.multipoints(plane_points.to_numpy()), extend_to=box, only_edges=True)
    edges = gpd.GeoSeries([edges], crs=PLANE).to_crs(4326).iloc[0]
    # One noding for cell borders and outline together: cutting cell by cell would leave slivers.
    lines = shapely.union_all([edges, outline.union_all().boundary], grid_size=GRID)
    faces = np.array(list(shapely.polygonize([lines]).geoms))
    state = shapely.set_precision(outline.union_all(), GRID)
    faces = faces[shapely.covers(state, shapely.point_on_surface(faces))]
    inside = gpd.GeoSeries(shapely.point_on_surface(faces), crs=4326).to_crs(PLANE)
    owner = shapely.STRtree(plane_points.to_numpy()).nearest(inside.to_numpy())
    return [shapely.union_all(faces[owner == i]) for i in range(len(points))]


def main(uszipcode: Path, us_atlas: Path) -> None:
    zctas = read_zctas(uszipcode)
    zctas = as_points(zctas[(zctas.state == POSTAL) & ~misplaced(zctas)].reset_index(drop=True))
    if zctas.duplicated(["lat", "lon"]).any():
        raise ValueError("two ZCTAs stand at the same point: their cells cannot be told apart")
    states = read_states(us_atlas)
    outline = states[states.name == STATE].geometry
    print(f"{(~zctas.within(outline.union_all())).sum()} of {len(zctas)} points lie outside the simplified outline")

    areas = zctas[["zip", "place", "pop10"]].set_geometry(gpd.GeoSeries(cells(zctas.geometry, outline), crs=4326))
    if areas.is_empty.any():
        raise ValueError(f"without area: {areas.zip[areas.is_empty].tolist()}")
    write_polygons(areas, "vermont_zip.geojson")
    print(f"written: {len(areas)} areas, {areas.pop10.sum()} people, {(areas.pop10 == 0).sum()} areas without people")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
