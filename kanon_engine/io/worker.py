"""What runs in the nursery and in its workers; see `nursery` for how it holds."""

from __future__ import annotations

import importlib
import os
import pickle
import socket
import warnings
from typing import Any, NoReturn

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io import confined, gdal
from kanon_engine.io.answers import answer_of, error_answer
from kanon_engine.io.limits import MB, Limits, hold_to
from kanon_engine.io.rehearsal import rehearse
from kanon_engine.model.known import FAMILIES
from kanon_engine.processes import forked

MODULES = ("kanon_engine.io.frames", "kanon_engine.io.geofile", "kanon_engine.io.preview")


def main(control: int) -> NoReturn:
    """Import every reader and try it, then fork a worker for every line that comes."""
    warnings.simplefilter("ignore")
    confined.stay_within()
    gdal.allow(*gdal.DRIVERS)
    readers = [reader for family in FAMILIES.values() for reader in (family.reader.function, *family.reader.also)]
    for module in (*MODULES, *(reader.module for reader in readers)):
        importlib.import_module(module)
    rehearse()
    forked.serve(control, _work)


def _work(line: socket.socket) -> None:
    """Read one file and answer."""
    _, order = forked.receive(line)
    reader, given, name, arguments, settings = pickle.loads(order)  # from the server, not from a file
    most = Limits(**given)
    hold_to(most)
    _confine(most)
    forked.send(line, *_answered(reader, name, arguments, settings, most))


def _confine(most: Limits) -> None:
    """From here on nothing can be opened; what reading needs of the disk is opened before."""
    import pyogrio
    import pyproj

    # Both open their database of coordinate systems anew in a forked process, and crash later where they cannot;
    # these two systems were not met in the rehearsal, after which they would be remembered.
    pyproj.CRS("EPSG:32761").to_wkt()
    pyogrio.read_info(
        b'{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:2263"}},"features":[]}'
    )
    os.nice(5)
    forked.keep_within(most.memory, most.seconds, most.patience)
    forked.open_nothing()


def _answered(reader: str, name: str, arguments: Any, settings: Any, most: Limits) -> tuple[dict[str, Any], bytes]:
    """The reader's value or error as an answer; what libraries raise for broken files becomes one sentence."""
    try:
        head, body = answer_of(confined.READERS[reader](*arguments, **settings))
        return {"value": head}, body
    except KanonError as error:
        return {"error": error_answer(error), "log": forked.cause(error.__cause__)}, b""
    except BaseException as error:
        if forked.lacks_memory(error):
            what = f"{name} takes more than {most.memory // MB:,} MB of memory to read; simplify or split it."
        else:
            what = f"{name} is broken or of another kind than it says; save it again."
        return {"error": error_answer(InvalidInput(what)), "log": forked.cause(error)}, b""
