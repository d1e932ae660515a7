"""The code that runs in the nursery and in its workers; see `nursery` for why this is safe."""

from __future__ import annotations

import encodings
import importlib
import io
import logging
import os
import pickle
import pkgutil
import socket
import tempfile
import warnings
import zipfile
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io import confined, geofile
from kanon_engine.io.answers import answer_of, error_answer
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.limits import MB, FileLimits, hold_to
from kanon_engine.io.preview import preview
from kanon_engine.model.known import FAMILIES
from kanon_engine.processes import forked

MODULES = ("kanon_engine.io.frames", "kanon_engine.io.geofile", "kanon_engine.io.preview")


def main(control: int) -> NoReturn:
    """Import every reader and try it, then fork a worker for every line that arrives."""
    warnings.simplefilter("ignore")
    confined.stay_within()
    readers = [reader for family in FAMILIES.values() for reader in (family.reader.function, *family.reader.also)]
    for module in (*MODULES, *(reader.module for reader in readers)):
        importlib.import_module(module)
    rehearse()
    forked.serve(control, _work)


def alone(line: socket.socket) -> None:
    """Read texts into a table, in a process that a command forked: only that is tried before."""
    warnings.simplefilter("ignore")
    confined.stay_within()
    line = forked.close_others(line)
    _work(line, rehearse_texts)


def _work(line: socket.socket, prepare: Callable[[str], None] | None = None) -> None:
    _, order = forked.receive(line)
    reader, limit_values, name, arguments, settings = pickle.loads(order)  # from the server, not from a file
    most = FileLimits(**limit_values)
    hold_to(most)
    if prepare is None:
        _open_systems()
    else:
        prepare(reader)
    os.nice(5)
    forked.keep_within(most.memory, most.seconds, most.patience)
    forked.open_nothing()  # everything that reading needs from disk is open
    forked.send(line, *_answered(reader, name, arguments, settings, most))


def _open_systems() -> None:
    import pyogrio
    import pyproj

    # Both reopen their database of coordinate systems in a forked process, and crash later if they cannot; these two
    # systems were not used in the rehearsal, after which they would be cached.
    pyproj.CRS("EPSG:32761").to_wkt()
    pyogrio.read_info(
        b'{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:2263"}},"features":[]}'
    )


def _answered(reader: str, name: str, arguments: Any, settings: Any, most: FileLimits) -> tuple[dict[str, Any], bytes]:
    """The reader's value or error as an answer; library errors for broken files become one sentence."""
    try:
        head, body = answer_of(confined.READERS[reader](*arguments, **settings))
        return {"value": head}, body
    except KanonError as error:
        return {"error": error_answer(error), "log": forked.cause(error.__cause__)}, b""
    except BaseException as error:
        if forked.lacks_memory(error):
            what = f"{name} takes more than {most.memory // MB:,} MB of memory to read; simplify or split it."
        else:
            what = f"{name} is broken, or is not the kind of file that it claims to be; save it again."
        return {"error": error_answer(InvalidInput(what)), "log": forked.cause(error)}, b""


# ---------------------------------------------------------------------------------------------------------------------
# Every reader is tried on a small file of every kind, before untrusted files arrive.
#
# Libraries must import and open what they need before, because a worker can open nothing.
# ---------------------------------------------------------------------------------------------------------------------


Scene = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]  # a reader with its arguments
LOG = logging.getLogger(__name__)
ELSEWHERE = ("mbcs", "oem", "cp65001")  # Windows encodings
ZONES: list[zoneinfo.ZoneInfo] = []  # the cache forgets those without a reference
TEXT = "kind,count,lon,lat\na,1,-73.5,45.5\nb,2,-73.6,45.6\na,,-73.7,45.4\n"
BROKEN = (b"PK\x03\x04", b"PAR1", b"fgb\x03", b"\x00", b'{"type": "Feature"', b"SQLite format 3\x00", b"a,b\n1,2,3\n")


def rehearse() -> None:
    """Read each file once; errors here go to the log."""
    _open_texts()
    geofile.allow(*geofile.DRIVERS)
    _try(scenes())
    geofile.allow(*geofile.DRIVERS)


def rehearse_texts(reader: str) -> None:
    """The same for texts alone, and for one reader."""
    _open_texts()
    texts = list(_texts())
    _try((preview, (data,), {}) for data in (*texts, BROKEN[-1]))
    family = confined.family_reading(reader)
    if family is not None and family.reader.rehearsal is not None:
        _try(family.reader.rehearsal([], texts))


def _open_texts() -> None:
    """Encodings and time zones."""
    for module in pkgutil.iter_modules(encodings.__path__):
        if module.name not in ELSEWHERE:
            importlib.import_module(f"encodings.{module.name}")
    for name in zoneinfo.available_timezones():
        with suppress(zoneinfo.ZoneInfoNotFoundError, OSError, ValueError):
            ZONES.append(zoneinfo.ZoneInfo(name))


def _try(tried: Iterable[Scene]) -> None:
    for reader, arguments, settings in tried:
        try:
            answer_of(reader(*arguments, **settings))
        except Exception as error:  # not every reader accepts every file
            LOG.debug("%s: %r", reader.__qualname__, error)


def scenes() -> Iterator[Scene]:
    """Every reader with the files to try."""
    shapes, tables = list(_shapes()), list(_tables())
    yield from ((read_shapes, (data,), {}) for data in shapes)
    yield from ((preview, (data,), {}) for data in (*tables, *BROKEN))
    for family in FAMILIES.values():
        if family.reader.rehearsal is not None:
            yield from family.reader.rehearsal(shapes, tables)


def _shapes() -> Iterator[bytes]:
    """Four areas, two of them separate, one of them in two rows, one that crosses itself, in every kind of file."""
    import geopandas
    import pyogrio
    from shapely import Polygon, box

    boxes = [box(*sides) for sides in ((0, 0, 1, 1), (1, 0, 2, 1), (5, 5, 6, 6), (6, 6, 7, 7))]
    places = [*boxes, Polygon([(9, 0), (10, 1), (10, 0), (9, 1)])]
    columns = {"id": ["a", "b", "c", "c", "d"], "count": [1, 2, 3, 3, 4]}
    frame = geopandas.GeoDataFrame(columns, geometry=places, crs=4326)
    for driver, system in (("GeoJSON", 4326), ("GPKG", 5070), ("FlatGeobuf", 4326)):
        file = io.BytesIO()
        pyogrio.write_dataframe(frame.to_crs(system), file, driver=driver, layer="layer")
        yield file.getvalue()
    file = io.BytesIO()
    frame.to_parquet(file)
    yield file.getvalue()
    yield b'{"type": "Topology", "objects": {"a": {"type": "Point", "coordinates": [1, 1]}}, "arcs": []}'
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        frame.to_file(Path(folder, "layer.shp"))
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
            for path in Path(folder).iterdir():
                archive.write(path, path.name)
    yield file.getvalue()


def _texts() -> Iterator[bytes]:
    yield TEXT.encode()
    yield TEXT.replace(",", "\t").replace("a", "東京").encode("utf-16")
    yield TEXT.replace(",", "  ").replace("a", "東京").encode("shift_jis")


def _tables() -> Iterator[bytes]:
    """Positions, counts and words in every kind of table."""
    import pandas as pd

    yield from _texts()
    frame = pd.read_csv(io.StringIO(TEXT))
    frame["when"] = pd.to_datetime(["2020-01-01"] * 3).tz_localize("Europe/Paris")
    frame["part"] = pd.Categorical(["x", "y", "x"])
    file = io.BytesIO()
    frame.to_parquet(file)
    yield file.getvalue()
    file = io.BytesIO()
    frame.drop(columns="when").to_excel(file, index=False)
    yield file.getvalue()
