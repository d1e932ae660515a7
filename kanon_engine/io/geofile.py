"""Shapes from a file: GeoPackage, FlatGeobuf, GeoJSON, TopoJSON, GeoParquet, and zips of these or of a shapefile.

Files are untrusted. GDAL reads them from memory, in a worker (`kanon_engine.io`) that can open nothing, with the one
driver that their first bytes call for. So no file can make it follow links to other files or hosts.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput, KanonError, Remedy
from kanon_engine.io.answers import reaches_files
from kanon_engine.io.confined import confined, within
from kanon_engine.io.frames import has_shapes, lists_notes, parquet_lists, plain_shapes, read_frame
from kanon_engine.io.limits import MB, limits, passed, require_size
from kanon_engine.io.source import SHAPEFILE, SHAPEFILE_PARTS, TABLES, Source, is_database

if TYPE_CHECKING:
    import geopandas
    import pandas as pd


SHAPES = ("shapefile", "zip", "geopackage", "flatgeobuf", "json")  # kinds that hold only shapes
WANTED = "a zipped shapefile, GeoPackage, GeoJSON, TopoJSON, FlatGeobuf or GeoParquet file"
SUFFIXES = (".shp", ".gpkg", ".geojson", ".json", ".topojson", ".fgb", ".parquet", ".geoparquet")
MOST_ENTRIES = 10_000  # files in a zip
LISTED = 20  # layers or files that a sentence lists
FLAT_OBJECT = (
    rb'\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})*\}'  # with nested objects, but only one level
)
CRS = re.compile(rb'("crs"\s*:\s*)(' + FLAT_OBJECT + rb")")
LINKED = re.compile(rb'"type"\s*:\s*"(?:link|url)"', re.IGNORECASE)


@confined("file")
def read_shapes(
    file: Any, layer: str | None = None, filename: str | None = None
) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """Shapes with their columns.

    Parameters
    ----------
    file : path, bytes, readable object or Source
        A path may also name a bare .shp with its .shx and .dbf next to it.
    layer : Which layer, or which file of a zip, if there are several.
    filename : What to call uploaded bytes in sentences.

    Returns
    -------
    frame : GeoDataFrame
    notes : Which of several layers was read, and what was left out.

    Raises
    ------
    InvalidInput : Another kind of file, a broken file, several layers and none chosen, no shapes, a limit exceeded.
    """
    source = Source.open(file, filename)
    if source.kind == "shapefile":
        if not source.beside:
            raise InvalidInput(
                f"{source.name} is one file of a shapefile, which consists of several; "
                f"zip the .shp with its .shx, .dbf and .prj, and load the zip."
            )
        frame, notes = _read_shapefile(dict(source.beside), source.name)
    elif source.kind == "zip":
        frame, notes = _zipped(source, layer)
    elif source.kind == "parquet":
        frame, notes = _geoparquet(source)
    elif source.table is not None:
        frame, notes = plain_shapes(source.table, source.name)
    elif source.kind in ("geopackage", "flatgeobuf", "json"):
        frame, notes = _read_with(source.data, _driver(source), source.name, layer)
    else:
        raise source.refuse(WANTED)
    if frame.empty:
        raise InvalidInput(f"{source.name} holds no shapes; choose a file with areas or points.")
    return frame, notes


def read_rows(source: Source, layer: str | None = None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A table, or the shapes of a file that has shapes, with their columns."""
    return read_frame(source) if source.kind in TABLES and not has_shapes(source) else read_shapes(source, layer)


def _driver(source: Source) -> str:
    """The driver for a file, based on its content, or `InvalidInput`."""
    if source.kind == "flatgeobuf":
        return "FlatGeobuf"
    if source.kind == "geopackage":
        if is_database(source.data):
            raise InvalidInput(f"{source.name} is an SQLite database but not a GeoPackage; export it as a GeoPackage.")
        return "GPKG"
    kinds = set(re.findall(rb'"type"\s*:\s*"(\w+)"', source.data[:100_000] + source.data[-100_000:]))
    if b"gdal_streamed_alg" in source.data:
        raise InvalidInput(
            f"{source.name} is a list of steps for the map library GDAL and names other files; load {WANTED} instead."
        )
    if b"Topology" in kinds:
        return "TopoJSON"
    if kinds & {b"FeatureCollection", b"Feature"}:
        return "GeoJSON"
    try:
        json.loads(source.data)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{source.name} is broken JSON at line {error.lineno:,}; save it again.") from error
    except (ValueError, RecursionError) as error:  # not text, or nested too deep
        raise InvalidInput(f"{source.name} is broken JSON; save it again.") from error
    raise InvalidInput(f"{source.name} is JSON but neither GeoJSON nor TopoJSON; load {WANTED} instead.")


def _read_with(
    data: bytes, driver: str, name: str, layer: str | None
) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """Let GDAL read from memory, with only that driver."""
    import geopandas
    import pyogrio

    notes: tuple[str, ...] = ()
    if driver in ("GeoJSON", "TopoJSON"):
        data, notes = _without_links(data)
    elif driver == "GPKG" and data[18:20] == b"\2\2":  # a write-ahead log, which would be searched for
        data = data[:18] + b"\1\1" + data[20:]
    chosen, layers = None, []
    try:
        allow(*((driver,) if within() else DRIVERS))
        if driver in ("GPKG", "TopoJSON"):  # other drivers have one layer
            layers = [str(row[0]) for row in pyogrio.list_layers(data) if row[1] is not None]
            chosen = _one_of(layers, layer, "layer", name) if layers else None
        if driver not in ("GeoJSON", "TopoJSON"):  # which GDAL reads completely each time it is opened
            about = pyogrio.read_info(data, layer=chosen)
            require_size(name, max(about["features"], 0), len(about["fields"]))
        frame = pyogrio.read_dataframe(data, layer=chosen, force_2d=True, max_features=limits().rows + 1)
    except (MemoryError, KanonError):
        raise
    except Exception as error:  # GDAL reports broken files through several exception classes and bare strings
        if "bad_alloc" in str(error):
            raise MemoryError from error
        raise InvalidInput(
            f"{name} cannot be read as {KNOWN_AS.get(driver, driver)} because it is broken; save it again or export it "
            "in another format."
        ) from error
    if not isinstance(frame, geopandas.GeoDataFrame):
        raise InvalidInput(f"{name} has columns but no shapes; load {WANTED} instead.")
    if chosen and len(layers) > 1:
        notes += (f"{name} has {len(layers)} layers with shapes; “{chosen}” was read.",)
    return _checked(frame, name, notes)


def _without_links(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """JSON with only inline coordinate systems; one given by a link is removed and never looked up."""
    found = 0

    def kept(match: re.Match[bytes]) -> bytes:
        nonlocal found
        linked = LINKED.search(match[2]) is not None
        found += linked
        return match[1] + b"null" if linked else match[0]

    data = CRS.sub(kept, data)
    return data, ("The file gives its coordinate system as a link, which was not followed.",) if found else ()


def _checked(
    frame: geopandas.GeoDataFrame, name: str, notes: tuple[str, ...]
) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """A frame within the limits, in a coordinate system that refers to no other file."""
    import shapely

    require_size(name, *frame.shape)
    most = limits().vertices
    vertices = int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum())
    if vertices > most:
        raise passed(name, f"has {vertices:,} vertices", f"{most:,}", "simplify its shapes")
    if frame.crs is not None and reaches_files(frame.crs.to_wkt()):
        system = frame.crs.source_crs if frame.crs.is_bound else None
        if system is not None and reaches_files(system.to_wkt()):
            system = None
        frame = frame.set_crs(system, allow_override=True)
        notes += ("The file's coordinate system refers to another file, which was not opened.",)
    return frame, notes


def _geoparquet(source: Source) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    import geopandas
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(io.BytesIO(source.data))
        geometries = json.loads((schema.metadata or {}).get(b"geo", b"{}")).get("columns", {})
        lists = parquet_lists(source, frozenset(geometries))
        if not geometries:
            raise InvalidInput(f"{source.name} is a Parquet file without shapes; load {WANTED} instead.")
        plain = [name for name in schema.names if name not in lists] if lists else None
        frame = geopandas.read_parquet(io.BytesIO(source.data), columns=plain)
    except (MemoryError, KanonError):
        raise
    except Exception as error:  # pyarrow's own exceptions for broken files
        raise InvalidInput(
            f"{source.name} cannot be read as GeoParquet because it is broken; save it again."
        ) from error
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    return _checked(frame.set_geometry(frame.geometry.force_2d()), source.name, lists_notes(lists))


def _zipped(source: Source, layer: str | None) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """The only file with shapes in a zip, or the chosen one."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            if len(archive.infolist()) > MOST_ENTRIES:
                raise InvalidInput(
                    f"{source.name} holds more than {MOST_ENTRIES:,} files; zip only the file with the shapes."
                )
            names = [
                name
                for name in archive.namelist()
                if (path := PurePosixPath(name)).suffix.lower() in SUFFIXES
                and not ("__MACOSX" in path.parts or path.name.startswith("."))
            ]
            if not names:
                listing = ", ".join(archive.namelist()[:5]) or "nothing"
                raise InvalidInput(
                    f"{source.name} holds no shapefile or other file with shapes, only {listing}; "
                    f"zip the .shp with its .shx and .dbf."
                )
            inner = names[0] if layer is None and len(names) == 1 else None
            if inner is None and layer is not None and len(names) == 1 and not names[0].lower().endswith(".shp"):
                inner = names[0]  # the layer is one of that file
            if inner is None:
                stems = [str(PurePosixPath(name).with_suffix("")) for name in names]
                inner = names[stems.index(_one_of(stems, layer, "file", source.name))]
                layer = None
            stem = inner[: -len(PurePosixPath(inner).suffix)]
            entries = {inner: PurePosixPath(inner).suffix.lower()}
            if inner.lower().endswith(".shp"):
                for entry in archive.namelist():
                    if entry.lower().startswith(stem.lower()) and entry[len(stem) :].lower() in SHAPEFILE_PARTS:
                        entries[entry] = entry[len(stem) :].lower()
            unpacked, most = sum(archive.getinfo(entry).file_size for entry in entries), limits().unpacked
            if unpacked > most:  # a zip with a false size is cut off there
                raise passed(
                    source.name, f"unpacks to {unpacked // MB:,} MB", f"{most // MB:,} MB", "split or simplify it"
                )
            files = {ending: archive.read(entry) for entry, ending in entries.items()}
    except (MemoryError, KanonError):
        raise
    except Exception as error:  # broken zips raise all errors of the compression methods
        raise InvalidInput(f"{source.name} cannot be unpacked; zip it again, without a password.") from error
    if ".shp" in files:
        return _read_shapefile(files, source.name)
    (data,) = files.values()
    inside = Source.open(data, f"{PurePosixPath(inner).name} in {source.name}")
    if inside.kind == "zip":
        raise InvalidInput(f"{source.name} holds a zip in a zip; unpack the outer one.")
    return read_shapes(inside, layer)


def _read_shapefile(files: dict[str, bytes], name: str) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """A shapefile from its parts: only these as a zip, which GDAL reads from memory."""
    if not files[".shp"].startswith(SHAPEFILE):
        raise InvalidInput(f"{name} holds a .shp file that is not a shapefile; export it again.")
    missing = [ending for ending in (".shx", ".dbf") if ending not in files]
    if missing:
        raise InvalidInput(
            f"{name} lacks the {' and the '.join(missing)} of the shapefile; keep all its files together."
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for ending, data in files.items():
            archive.writestr(f"layer{ending}", data)
    return _read_with(packed.getvalue(), "ESRI Shapefile", name, None)


def _one_of(choices: list[str], chosen: str | None, what: str, name: str) -> str:
    if chosen is None and len(choices) == 1:
        return choices[0]
    listing = ", ".join(choices[:LISTED]) + (", …" if len(choices) > LISTED else "")
    if chosen is None:
        choose = Remedy("choose one", "layer")
        raise InvalidInput(f"{name} has several {what}s with shapes ({listing})", parameter="layer", remedy=choose)
    if chosen not in choices:
        raise InvalidInput(f"{name} has no {what} {chosen!r}; it has: {listing}.", parameter="layer", value=chosen)
    return chosen


DRIVERS = ("GeoJSON", "TopoJSON", "GPKG", "FlatGeobuf", "ESRI Shapefile")
KNOWN_AS = {"GPKG": "GeoPackage", "ESRI Shapefile": "a shapefile"}  # drivers, in sentences


def allow(*drivers: str) -> None:
    """Allow only these drivers in this process; ones disabled earlier come back if they are listed.

    Raises `RuntimeError`: GDAL still offers another driver.
    """
    import pyogrio
    from pyogrio import core

    available = {*pyogrio.list_drivers(), *filter(None, os.environ.get("GDAL_SKIP", "").split(",")), *DRIVERS}
    # with commas, because "ESRI Shapefile" has a space
    skipped = ",".join(sorted(available - set(drivers)))
    os.environ["GDAL_SKIP"] = skipped
    pyogrio.set_gdal_config_options({"GDAL_SKIP": skipped})
    core._register_drivers()  # this also disables the skipped drivers
    left = set(pyogrio.list_drivers()) - set(drivers)
    if left:
        raise RuntimeError(f"the map library GDAL can still read other kinds of files: {', '.join(sorted(left))}")
