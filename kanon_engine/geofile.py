"""Shapes from a file: GeoPackage, FlatGeobuf, GeoJSON, TopoJSON, GeoParquet, and zips of these or of a shapefile.

Files come from strangers. GDAL opens a copy under a name of ours, with a suffix that fits its content, and the driver
that it chose is compared with the one expected; so no file can make it follow links to other files or hosts.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.source import Source

if TYPE_CHECKING:
    import geopandas

WANTED = "a zipped shapefile, GeoPackage, GeoJSON, TopoJSON, FlatGeobuf or GeoParquet file"
SUFFIXES = (".shp", ".gpkg", ".geojson", ".json", ".topojson", ".fgb", ".parquet", ".geoparquet")
SIBLINGS = (".shp", ".shx", ".dbf", ".prj", ".cpg")
LARGEST_UNPACKED = 4 * 2**30  # bytes; a small zip can unpack to anything


def read_shapes(
    file: Any, layer: str | None = None, filename: str | None = None
) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """Shapes with their columns.

    Parameters
    ----------
    file : path, bytes, readable object or Source
        A path may also name a bare .shp that has its .shx and .dbf beside it.
    layer : str, optional
        Which layer, or which file of a zip, where there are several.
    filename : str, optional
        What to call uploaded bytes in sentences.

    Returns
    -------
    frame : GeoDataFrame
    notes : tuple of str
        Which layer of several was read.

    Raises
    ------
    InvalidInput
        Another kind of file, a broken one, several layers and none chosen, no shapes.
    """
    source = Source.open(file, filename)
    if source.kind == "shapefile":
        frame, notes = _read_with(_shapefile_beside(source), "ESRI Shapefile", ".shp", source.name, None)
    elif source.kind == "zip":
        frame, notes = _zipped(source, layer)
    elif source.kind == "parquet":
        frame, notes = _geoparquet(source), ()
    elif source.kind in ("geopackage", "flatgeobuf", "json"):
        driver, suffix = _driver(source)
        frame, notes = _read_with({suffix: source.data}, driver, suffix, source.name, layer)
    else:
        raise source.refuse(WANTED)
    if frame.empty:
        raise InvalidInput(f"{source.name} holds no shapes; choose a file with areas or points.")
    return frame, notes


def _driver(source: Source) -> tuple[str, str]:
    """Driver and suffix for a file by its content, or `InvalidInput`."""
    if source.kind == "flatgeobuf":
        return "FlatGeobuf", ".fgb"
    if source.kind == "geopackage":
        if source.data[68:72] not in (b"GPKG", b"GP10", b"GP11"):
            raise InvalidInput(f"{source.name} is an SQLite database but no GeoPackage; export it as one.")
        return "GPKG", ".gpkg"
    kinds = set(re.findall(rb'"type"\s*:\s*"(\w+)"', source.data[:100_000] + source.data[-100_000:]))
    if b"gdal_streamed_alg" in source.data:
        raise InvalidInput(f"{source.name} is a GDAL pipeline, which names other files; load {WANTED} instead.")
    if b"Topology" in kinds:
        return "TopoJSON", ".topojson"
    if kinds & {b"FeatureCollection", b"Feature"}:
        return "GeoJSON", ".geojson"
    try:
        json.loads(source.data)
    except ValueError as error:
        raise InvalidInput(f"{source.name} is broken JSON ({error}); save it again.") from error
    raise InvalidInput(f"{source.name} is JSON but neither GeoJSON nor TopoJSON; load {WANTED} instead.")


def _read_with(
    files: dict[str, bytes], driver: str, suffix: str, name: str, layer: str | None
) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """Let GDAL read a copy of the files, in a folder of its own."""
    import geopandas
    import pyogrio

    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        for ending, data in files.items():
            Path(folder, f"layer{ending}").write_bytes(data)
        path = Path(folder, f"layer{suffix}")
        try:
            layers = [str(row[0]) for row in pyogrio.list_layers(path) if row[1] is not None]
            chosen = _one_of(layers, layer, "layer", name) if layers and suffix in (".gpkg", ".topojson") else None
            if pyogrio.read_info(path, layer=chosen)["driver"] != driver:
                raise InvalidInput(f"{name} is not what its beginning says; load {WANTED} instead.")
            frame = pyogrio.read_dataframe(path, layer=chosen, force_2d=True)
        except InvalidInput:
            raise
        except Exception as error:  # GDAL reports broken files through several exception classes and bare strings
            reason = (
                str(error).replace(str(path), name).splitlines()[0].rstrip(".") if str(error) else "no reason given"
            )
            raise InvalidInput(
                f"{name} cannot be read as {driver} ({reason}); save it again or export another kind."
            ) from error
    if not isinstance(frame, geopandas.GeoDataFrame):
        raise InvalidInput(f"{name} has columns but no shapes; load {WANTED} instead.")
    notes = (
        (f"{name} has {len(layers)} layers with shapes; “{chosen}” was read.",) if chosen and len(layers) > 1 else ()
    )
    return frame, notes


def _geoparquet(source: Source) -> geopandas.GeoDataFrame:
    import geopandas

    try:
        frame = geopandas.read_parquet(io.BytesIO(source.data))
    except ValueError as error:
        raise InvalidInput(f"{source.name} is a Parquet file without shapes; load {WANTED} instead.") from error
    except Exception as error:  # pyarrow's own exceptions for broken files
        raise InvalidInput(f"{source.name} cannot be read as GeoParquet ({error}); save it again.") from error
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    return frame.set_geometry(frame.geometry.force_2d())


def _zipped(source: Source, layer: str | None) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """The one file with shapes in a zip, or the one named."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            names = [entry.filename for entry in archive.infolist() if _is_shapes(entry.filename)]
            if not names:
                found = ", ".join(archive.namelist()[:5]) or "nothing"
                raise InvalidInput(
                    f"{source.name} holds no shapefile or other file with shapes, only {found}; "
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
            wanted = {inner: PurePosixPath(inner).suffix.lower()}
            if inner.lower().endswith(".shp"):
                for entry in archive.namelist():
                    if entry.lower().startswith(stem.lower()) and entry[len(stem) :].lower() in SIBLINGS:
                        wanted[entry] = entry[len(stem) :].lower()
            if sum(archive.getinfo(entry).file_size for entry in wanted) > LARGEST_UNPACKED:
                raise InvalidInput(f"{source.name} unpacks to more than 4 GB; split or simplify it.")
            files = {ending: archive.read(entry) for entry, ending in wanted.items()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{source.name} cannot be unpacked ({error}); zip it again without a password.") from error
    if ".shp" in files:
        return _read_with(_complete(files, source.name), "ESRI Shapefile", ".shp", source.name, None)
    (data,) = files.values()
    inside = Source.open(data, f"{PurePosixPath(inner).name} in {source.name}")
    if inside.kind == "zip":
        raise InvalidInput(f"{source.name} holds a zip in a zip; unpack the outer one.")
    return read_shapes(inside, layer)


def _is_shapes(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in SUFFIXES and "__MACOSX" not in path.parts and not path.name.startswith(".")


def _shapefile_beside(source: Source) -> dict[str, bytes]:
    if source.path is None:
        raise InvalidInput(
            f"{source.name} is one file of a shapefile, which consists of several; "
            f"zip the .shp with its .shx, .dbf and .prj, and load the zip."
        )
    stem = source.path.stem.lower()
    files = {
        path.suffix.lower(): path.read_bytes()
        for path in sorted(source.path.parent.iterdir())
        if path.stem.lower() == stem and path.suffix.lower() in SIBLINGS
    }
    return _complete(files, source.name)


def _complete(files: dict[str, bytes], name: str) -> dict[str, bytes]:
    if not files[".shp"].startswith(b"\x00\x00\x27\x0a"):
        raise InvalidInput(f"{name} holds a .shp that is no shapefile; export it again.")
    missing = [ending for ending in (".shx", ".dbf") if ending not in files]
    if missing:
        raise InvalidInput(
            f"{name} lacks the {' and the '.join(missing)} of the shapefile; keep all its files together."
        )
    return files


def _one_of(choices: list[str], chosen: str | None, what: str, name: str) -> str:
    if chosen is None and len(choices) == 1:
        return choices[0]
    listing = ", ".join(choices)
    if chosen is None:
        raise InvalidInput(f"{name} has several {what}s with shapes; choose one with layer=: {listing}.")
    if chosen not in choices:
        raise InvalidInput(f"{name} has no {what} {chosen!r}; there are: {listing}.")
    return chosen
