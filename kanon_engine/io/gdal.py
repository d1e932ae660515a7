"""GDAL with no more drivers than are needed."""

from __future__ import annotations

import os

DRIVERS = ("GeoJSON", "TopoJSON", "GPKG", "FlatGeobuf", "ESRI Shapefile")


def allow(*drivers: str) -> None:
    """Take every other driver away from this process; those that were taken before come back where they are named.

    Raises
    ------
    RuntimeError
        GDAL offers another driver all the same.
    """
    import pyogrio
    from pyogrio import core

    known = {*pyogrio.list_drivers(), *filter(None, os.environ.get("GDAL_SKIP", "").split(",")), *DRIVERS}
    # with commas, for "ESRI Shapefile" has a space
    skipped = ",".join(sorted(known - set(drivers)))
    os.environ["GDAL_SKIP"] = skipped
    pyogrio.set_gdal_config_options({"GDAL_SKIP": skipped})
    core._register_drivers()  # also takes away what is to be skipped
    left = set(pyogrio.list_drivers()) - set(drivers)
    if left:
        raise RuntimeError(f"GDAL offers {', '.join(sorted(left))}")
