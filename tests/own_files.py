"""Real zip codes as a person has them: shapes without counts, and a table of counts with what is odd in such tables."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import geopandas
import pandas as pd

SAMPLES = Path(__file__).parents[1] / "sample_data"


def zip_codes(state: str = "dc") -> geopandas.GeoDataFrame:
    """The Census's zip code areas of 2010 with their populations."""
    return geopandas.read_file(SAMPLES / f"{state}_zcta2010.zip")


def shapes_alone(frame: geopandas.GeoDataFrame, folder: Path) -> bytes:
    """A zipped shapefile of the codes and shapes, without counts."""
    target = folder / "shapes"
    target.mkdir()
    frame[["ZCTA5CE10", "geometry"]].to_file(target / "zip_codes.shp")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(target.iterdir()):
            archive.write(path, path.name)
    return packed.getvalue()


def odd_counts(frame: geopandas.GeoDataFrame) -> pd.DataFrame:
    """Counts by code: one code is missing, one stands twice, one is no area, and small cases are hidden."""
    cases = frame["pop10"] // 400
    rows = pd.DataFrame(
        {
            "zip": frame["ZCTA5CE10"],
            "population": frame["pop10"],
            "cases": [str(number) if number > 4 else "<5" for number in cases],
        }
    )
    return pd.concat([rows.iloc[1:], rows.iloc[[1]], rows.iloc[[2]].assign(zip="99999")], ignore_index=True)
