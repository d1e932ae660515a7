"""What runs in the nursery and in its workers; see `nursery` for how it holds."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import resource
import signal
import socket
import warnings
from typing import Any, NoReturn

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io import confined, gdal
from kanon_engine.io.answers import answer_of, error_answer
from kanon_engine.io.limits import MB, Limits, hold_to
from kanon_engine.io.nursery import HEADER, PID
from kanon_engine.io.rehearsal import rehearse
from kanon_engine.registry import FAMILIES

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
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a worker, so none becomes a zombie
    gc.collect()
    gc.freeze()
    server = socket.socket(fileno=control)
    while True:
        message, lines, _, _ = socket.recv_fds(server, 1, 1)
        if not message:
            os.killpg(0, signal.SIGKILL)  # the server is gone: so are the workers, and this process
        for line in lines:
            if os.fork() == 0:
                server.close()
                _work(socket.socket(fileno=line))
            os.close(line)


def _work(line: socket.socket) -> NoReturn:
    """Read one file, answer, and end."""
    try:
        line.sendall(PID.pack(os.getpid()))
        size, _ = HEADER.unpack(_received(line, HEADER.size))
        reader, given, name, arguments, settings = pickle.loads(_received(line, size))  # from the server, not a file
        most = Limits(**given)
        hold_to(most)
        _confine(most)
        head, body = _answered(reader, name, arguments, settings, most)
        content = json.dumps(head).encode()
        line.sendall(HEADER.pack(len(content), len(body)) + content)
        line.sendall(body)
    finally:
        os._exit(0)


def _received(line: socket.socket, size: int) -> bytearray:
    got, place = bytearray(size), 0
    while place < size:
        more = line.recv_into(memoryview(got)[place:])
        if not more:
            os._exit(1)
        place += more
    return got


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
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_AS, _address_space() + most.memory)
    _limit(resource.RLIMIT_CPU, int(most.seconds + used.ru_utime + used.ru_stime) + 1)
    _limit(resource.RLIMIT_CORE, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(most.patience) + 5)
    _limit(resource.RLIMIT_NOFILE, 0)


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def _address_space() -> int:
    """Bytes of it that this process has taken; 0 where it is not told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _answered(reader: str, name: str, arguments: Any, settings: Any, most: Limits) -> tuple[dict[str, Any], bytes]:
    """The reader's value or error as an answer; what libraries raise for broken files becomes one sentence."""
    try:
        head, body = answer_of(confined.READERS[reader](*arguments, **settings))
        return {"value": head}, body
    except KanonError as error:
        return {"error": error_answer(error), "log": _cause(error.__cause__)}, b""
    except MemoryError as error:
        return _refused(
            f"{name} takes more than {most.memory // MB:,} MB of memory to read; simplify or split it.", error
        )
    except BaseException as error:
        if "bad_alloc" in str(error):
            return _refused(
                f"{name} takes more than {most.memory // MB:,} MB of memory to read; simplify or split it.", error
            )
        return _refused(f"{name} is broken or of another kind than it says; save it again.", error)


def _refused(sentence: str, error: BaseException) -> tuple[dict[str, Any], bytes]:
    return {"error": error_answer(InvalidInput(sentence)), "log": _cause(error)}, b""


def _cause(error: BaseException | None) -> str:
    """What a library said, for the log of the server."""
    return "" if error is None else f"{type(error).__name__}: {str(error)[:300]!r}"
