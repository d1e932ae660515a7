"""georgia.geojson, north_carolina.geojson, st_louis.geojson: counties bundled with libpysal.

Usage: python counties.py LIBPYSAL US_ATLAS    (the unpacked wheel of libpysal 4.14.1 and the unpacked us-atlas 3.0.1)
"""

from __future__ import annotations

import sys
from pathlib import Path

import geopandas as gpd
from common import whole, write_polygons

UTM_16_NAD27 = 26716  # the shapefile names no system; README.md says how this one was found


def georgia(examples: Path, us_atlas: Path) -> gpd.GeoDataFrame:
    """159 counties, 1990; the shapefile has codes only, the names are those of us-atlas."""
    counties = gpd.read_file(examples / "georgia" / "G_utm.shp").set_crs(UTM_16_NAD27).to_crs(4326)
    counties = whole(counties, ["AreaKey", "TotPop90"]).astype({"AreaKey": str})
    atlas = gpd.read_file(us_atlas / "counties-10m.json", layer="counties")
    counties["name"] = counties.AreaKey.map(dict(zip(atlas.id.astype(str).str.zfill(5), atlas.name, strict=True)))
    if counties.name.isna().any():
        raise ValueError("a county has no name in us-atlas")
    return counties[["AreaKey", "name", "TotPop90", "geometry"]]


def north_carolina(examples: Path) -> gpd.GeoDataFrame:
    """100 counties with births and sudden infant deaths, 1974-78 and 1979-84."""
    weights = ["BIR74", "SID74", "BIR79", "SID79"]
    counties = gpd.read_file(examples / "sids2" / "sids2.shp").set_crs(4326)
    return whole(counties, weights)[["FIPS", "NAME", *weights, "geometry"]]


def st_louis(examples: Path) -> gpd.GeoDataFrame:
    """78 counties around St. Louis with homicides (HC) and population (PO), each summed over the years of a period."""
    weights = [kind + period for kind in ("HC", "PO") for period in ("7984", "8488", "8893")]
    counties = gpd.read_file(examples / "stl" / "stl_hom.shp").set_crs(4326)
    return whole(counties, weights)[["FIPS", "NAME", "STATE_NAME", *weights, "geometry"]]


def main(libpysal: Path, us_atlas: Path) -> None:
    examples = libpysal / "libpysal" / "examples"
    for name, frame in (
        ("georgia.geojson", georgia(examples, us_atlas)),
        ("north_carolina.geojson", north_carolina(examples)),
        ("st_louis.geojson", st_louis(examples)),
    ):
        path = write_polygons(frame, name)
        print(f"{name}: {len(frame)} counties, {path.stat().st_size} bytes")
        print(frame.drop(columns="geometry").sum(numeric_only=True).to_string())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
