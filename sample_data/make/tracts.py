"""boston_tracts.geojson and new_york_tracts.geojson: census tracts inside Debian's package r-cran-spdata.

Usage: python tracts.py SPDATA    (the unpacked package; its files stand in usr/lib/R/site-library/spData)
"""

from __future__ import annotations

import sys
from pathlib import Path

import geopandas as gpd
from common import whole, write_polygons

UTM_18_NAD27 = 26718  # the file says "Clarke 1866, datum unknown"; README.md says how this one was found


def main(spdata: Path) -> None:
    shapes = spdata / "usr" / "lib" / "R" / "site-library" / "spData" / "shapes"

    boston = whole(gpd.read_file(shapes / "boston_tracts.shp").to_crs(4326), ["POP"])
    write_polygons(boston[["poltract", "TOWN", "POP", "geometry"]], "boston_tracts.geojson")
    print(f"boston_tracts.geojson: {len(boston)} tracts, {boston.POP.sum()} people")

    new_york = gpd.read_file(shapes / "NY8_bna_utm18.gpkg").set_crs(UTM_18_NAD27, allow_override=True).to_crs(4326)
    new_york = whole(new_york, ["POP8"])
    write_polygons(new_york[["AREAKEY", "AREANAME", "POP8", "geometry"]], "new_york_tracts.geojson")
    print(f"new_york_tracts.geojson: {len(new_york)} tracts, {new_york.POP8.sum()} people")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
