"""Readers that run in a worker: what they do with a file is bounded, whatever the file holds."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pandas as pd

from kanon_engine.io.nursery import read_apart
from kanon_engine.io.source import Source
from kanon_engine.processes.nursery import SUPPORTED

Reader = TypeVar("Reader", bound=Callable[..., Any])

READERS: dict[str, Callable[..., Any]] = {}  # by name, what a worker may be asked for

_within = False


def stay_within() -> None:
    """This process is a worker or makes them: its readers read here."""
    global _within
    _within = True


def within() -> bool:
    """Whether this process is a worker or makes them."""
    return _within


def confined(*files: str) -> Callable[[Reader], Reader]:
    """Let a reader run in a worker process.

    The whole reader is run there, from the bytes to the instance, because every step after parsing can be made to take
    hours by the content too: repairing a shape, finding neighbours, telling columns apart. So all of it is bounded by
    the same limits, and no step has to be proven harmless on its own. Readers that a reader calls run in the same
    worker.

    A table that is given in memory is read in this process, and so is everything where workers are not possible.

    Parameters
    ----------
    *files : str
        The parameters that are files; the parameter "filename" names the first of them. A mapping may hold files too.
    """

    def decorate(reader: Reader) -> Reader:
        name = f"{reader.__module__}.{reader.__qualname__}"
        signature = inspect.signature(reader)
        READERS[name] = reader

        @functools.wraps(reader)
        def read(*arguments: Any, **settings: Any) -> Any:
            if _within or not SUPPORTED:
                return reader(*arguments, **settings)
            given = signature.bind(*arguments, **settings)
            filename = given.arguments.get("filename")
            for file in files:
                if given.arguments.get(file) is not None:
                    given.arguments[file] = _loaded(given.arguments[file], filename if file == files[0] else None)
            source = _source(given.arguments.get(files[0]))
            if source is None or any(_in_memory(given.arguments.get(file)) for file in files):
                return reader(*given.args, **given.kwargs)
            return read_apart(name, given.args, given.kwargs, source.name)

        return read  # type: ignore[return-value]

    return decorate


def _loaded(value: Any, filename: str | None) -> Any:
    """Paths, bytes and readable objects as sources; what is no file as it is."""
    if isinstance(value, pd.DataFrame):  # before a column "read" is taken for the method of a file
        return Source.open(value, filename)
    if isinstance(value, Mapping):
        return {name: _loaded(entry, None) for name, entry in value.items()}
    if isinstance(value, str | bytes | bytearray | memoryview | os.PathLike) or hasattr(value, "read"):
        return Source.open(value, filename)
    return value


def _source(value: Any) -> Source | None:
    """The file itself, or the first of several; None where there is a table in memory, or nothing."""
    if isinstance(value, Mapping):
        return next((entry for entry in value.values() if isinstance(entry, Source)), None)
    return value if isinstance(value, Source) else None


def _in_memory(value: Any) -> bool:
    """Whether this, or one of several, is a table in memory."""
    if isinstance(value, Mapping):
        return any(_in_memory(entry) for entry in value.values())
    return isinstance(value, Source) and value.table is not None
