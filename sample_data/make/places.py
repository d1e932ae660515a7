"""carshare.csv and cycle_hire.csv: points without weights.

Usage: python places.py PLOTLY SPDATA    (the unpacked wheel of plotly 7.1.0 and the unpacked package r-cran-spdata)
"""

from __future__ import annotations

import sys
from pathlib import Path

import geopandas as gpd
import pandas as pd
from common import SAMPLE_DATA


def main(plotly: Path, spdata: Path) -> None:
    carshare = pd.read_csv(plotly / "plotly" / "package_data" / "datasets" / "carshare.csv.gz")
    carshare = carshare.round({"centroid_lat": 6, "centroid_lon": 6, "car_hours": 2})
    carshare.to_csv(SAMPLE_DATA / "carshare.csv", index=False, lineterminator="\n")
    print(f"carshare.csv: {len(carshare)} zones")

    shapes = spdata / "usr" / "lib" / "R" / "site-library" / "spData" / "shapes"
    stations = gpd.read_file(shapes / "cycle_hire.geojson")
    stations = stations.assign(lon=stations.geometry.x.round(6), lat=stations.geometry.y.round(6))
    stations = pd.DataFrame(stations[["id", "name", "area", "lon", "lat", "nbikes", "nempty"]])
    stations.to_csv(SAMPLE_DATA / "cycle_hire.csv", index=False, lineterminator="\n")
    print(f"cycle_hire.csv: {len(stations)} stations")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
