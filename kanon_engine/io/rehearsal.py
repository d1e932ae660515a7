"""Every reader tried on a small file of every kind, before files of strangers come.

What a library imports or opens at its first use must be there already, for a worker can open nothing.
"""

from __future__ import annotations

import encodings
import importlib
import io
import json
import logging
import pkgutil
import tempfile
import zipfile
import zoneinfo
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from kanon_engine.io import confined, gdal
from kanon_engine.io.answers import answer_of

LOG = logging.getLogger(__name__)
ELSEWHERE = ("mbcs", "oem", "cp65001")  # encodings of Windows
ZONES: list[zoneinfo.ZoneInfo] = []  # those that nobody holds are forgotten
BROKEN = (b"PK\x03\x04", b"PAR1", b"fgb\x03", b"\x00", b'{"type": "Feature"', b"SQLite format 3\x00", b"a,b\n1,2,3\n")
CENSUS = b"SMITH          1.006  1.006      1\nJOHNSON        0.810  1.816      2\n"


def rehearse() -> None:
    """Read what there is once; what goes wrong here is for the log."""
    for module in pkgutil.iter_modules(encodings.__path__):
        if module.name not in ELSEWHERE:
            importlib.import_module(f"encodings.{module.name}")
    for name in zoneinfo.available_timezones():
        with suppress(zoneinfo.ZoneInfoNotFoundError, OSError, ValueError):
            ZONES.append(zoneinfo.ZoneInfo(name))
    shapes, tables = list(_shapes()), list(_tables())
    gdal.allow(*gdal.DRIVERS)
    for data in shapes:
        _tried("geofile.read_shapes", data)
    for data in (*tables, *BROKEN):
        _tried("preview.preview", data)
    first = shapes[0]
    _tried("regions.read.read_regions", first, "count", "id", merge_duplicates=True)
    _tried("regions.read.read_regions", first, "count", contiguity="queen", islands="separate")
    _tried("regions.read.read_regions", shapes[1], counts=b"id,count\na,1\nb,2\nc,3\n", id="id", merge_duplicates=True)
    _tried("regions.read.read_regions", b"a,b\nx,y\ny,z\n", counts=b"id,count\nx,5\ny,6\nz,7\n")
    _tried("regions.edge_list.read_edges", b"2\na 1\nb\nb 1\na\n")
    _tried("rectangles.clip.study_area", first)
    _tried("rectangles.read.read_points", first)
    text, parquet = tables[0], tables[-2]
    for project in (None, "utm", "EPSG:5070"):
        _tried("rectangles.read.read_points", text, "lon", "lat", project=project, drop_bad=True)
    for data in (text, parquet):
        _tried("labels.read.read_labels", data)
        _tried("tables.read.read_table", data)
        _tried("tables.columns.columns_frame", data)
    _tried("labels.read.read_labels", CENSUS, together=b"SMITH,JOHNSON\n")
    _tried("tables.hierarchy.read_hierarchy", b"a;A;*\nb;B;*\n")
    _tried("tables.read.read_table", text, ["count", "kind"], bins={"count": 5}, hierarchies={"kind": b"a;*\nb;*\n"})
    gdal.allow(*gdal.DRIVERS)


def _tried(reader: str, *arguments: Any, **settings: Any) -> None:
    try:
        answer_of(confined.READERS[f"kanon_engine.{reader}"](*arguments, **settings))
    except Exception as error:  # not every reader takes every file
        LOG.debug("%s: %r", reader, error)


def _shapes() -> Iterator[bytes]:
    """Four areas, two of them apart, one of them in two rows, one that crosses itself, in every kind of file."""
    import geopandas
    import pyogrio
    from shapely import Polygon, box

    places = [
        box(0, 0, 1, 1),
        box(1, 0, 2, 1),
        box(5, 5, 6, 6),
        box(6, 6, 7, 7),
        Polygon([(9, 0), (10, 1), (10, 0), (9, 1)]),
    ]
    columns = {"id": ["a", "b", "c", "c", "d"], "count": [1, 2, 3, 3, 4]}
    frame = geopandas.GeoDataFrame(columns, geometry=places, crs=4326)
    for driver, system in (("GeoJSON", 4326), ("GPKG", 5070), ("FlatGeobuf", 4326)):
        file = io.BytesIO()
        pyogrio.write_dataframe(frame.to_crs(system), file, driver=driver, layer="layer")
        yield file.getvalue()
    file = io.BytesIO()
    frame.to_parquet(file)
    yield file.getvalue()
    yield json.dumps(
        {"type": "Topology", "objects": {"a": {"type": "Point", "coordinates": [1, 1]}}, "arcs": []}
    ).encode()
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        frame.to_file(Path(folder, "layer.shp"))
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
            for path in Path(folder).iterdir():
                archive.write(path, path.name)
    yield file.getvalue()


def _tables() -> Iterator[bytes]:
    """Positions, counts and words in every kind of table."""
    import pandas as pd

    text = "kind,count,lon,lat\na,1,-73.5,45.5\nb,2,-73.6,45.6\na,,-73.7,45.4\n"
    yield text.encode()
    yield text.replace(",", "\t").replace("a", "東京").encode("utf-16")
    yield text.replace(",", "  ").replace("a", "東京").encode("shift_jis")
    frame = pd.read_csv(io.StringIO(text))
    frame["when"] = pd.to_datetime(["2020-01-01"] * 3).tz_localize("Europe/Paris")
    frame["part"] = pd.Categorical(["x", "y", "x"])
    file = io.BytesIO()
    frame.to_parquet(file)
    yield file.getvalue()
    file = io.BytesIO()
    frame.drop(columns="when").to_excel(file, index=False)
    yield file.getvalue()
