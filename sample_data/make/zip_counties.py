"""zip_counties.npz in the engine: the county that each zip code lies in, for names of groups.

Usage: python zip_counties.py US_ATLAS    (the unpacked npm package us-atlas 3.0.1: counties of the Census Bureau)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import shapely
from atlas import parts_of, path_of, read_arcs
from common import SAMPLE_DATA

OUT = SAMPLE_DATA.parent / "kanon_engine" / "io" / "zip_counties.npz"


def main(us_atlas: Path) -> None:
    topology = json.loads((us_atlas / "counties-10m.json").read_text("utf-8"))
    arcs = read_arcs(topology)
    states = {state["id"]: state["properties"]["name"] for state in parts_of(topology["objects"]["states"])}
    shapes, names = [], []
    for county in parts_of(topology["objects"]["counties"]):
        polygons = county["arcs"] if county["type"] == "MultiPolygon" else [county["arcs"]]
        rings = [[path for ring in polygon if len(path := path_of(ring, arcs)) > 3] for polygon in polygons]
        shapes.append(shapely.make_valid(shapely.MultiPolygon([(r[0], r[1:]) for r in rings if r])))
        names.append(f"{county['properties']['name']}\t{states[county['id'][:2]]}")
    table = pd.read_csv(SAMPLE_DATA / "zcta_points_2010.csv", dtype={"zip": str}).sort_values("zip")
    points = geopandas.points_from_xy(table["lon"], table["lat"])
    tree = shapely.STRtree(shapes)
    place, county = tree.query(points, predicate="intersects")
    found = tree.nearest(points)  # for points in water, which no outline holds
    found[place] = county
    zips = table["zip"].astype(int).to_numpy(np.int32)
    text = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
    np.savez_compressed(OUT, zips=zips, counties=found.astype(np.int16), names=text)
    beside = len(table) - len({*place.tolist()})
    print(f"written: the counties of {len(table)} zip codes; {beside} lie beside all outlines")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
