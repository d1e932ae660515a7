"""Readers that run in a worker, so that their work is bounded whatever the file holds."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from kanon_engine.errors import InvalidInput, KanonError, SearchEnded
from kanon_engine.io.answers import error_of, head_of, value_of
from kanon_engine.io.limits import MB, MORE, FileLimits, limits
from kanon_engine.io.source import Source
from kanon_engine.model.known import FAMILIES
from kanon_engine.processes.nursery import (
    SUPPORTED,
    AnswerTooLarge,
    NoWorker,
    Nursery,
    Slots,
    Worker,
    WorkerEnded,
    WorkerLate,
)

if TYPE_CHECKING:
    from kanon_engine.model.family import Family

Reader = TypeVar("Reader", bound=Callable[..., Any])

READERS: dict[str, Callable[..., Any]] = {}  # by name, the readers that a worker may run

_within = False


def stay_within() -> None:
    """Mark this process as a worker or as one that makes workers: its readers read here."""
    global _within
    _within = True


def within() -> bool:
    """Whether this process is a worker or makes them."""
    return _within


def confined(*files: str) -> Callable[[Reader], Reader]:
    """Let a reader run in a worker process.

    The whole reader is run there, from the bytes to the instance, because the content can make every step after parsing
    take hours, too: repairing a shape, finding neighbors, distinguishing columns. So all of it is bounded by the same
    limits, and no step has to be proven harmless on its own. Readers that a reader calls run in the same worker.

    A table in memory is read in this process, and so is everything if workers are not possible.

    Parameters
    ----------
    *files : str
        The parameters that are files; the parameter "filename" names the first. A mapping may hold files too.
    """

    def decorate(reader: Reader) -> Reader:
        name = f"{reader.__module__}.{reader.__qualname__}"
        signature = inspect.signature(reader)
        READERS[name] = reader

        @functools.wraps(reader)
        def read(*arguments: Any, **settings: Any) -> Any:
            if _within or not SUPPORTED:
                return reader(*arguments, **settings)
            bound = signature.bind(*arguments, **settings)
            filename = bound.arguments.get("filename")
            for file in files:
                if bound.arguments.get(file) is not None:
                    bound.arguments[file] = _loaded(bound.arguments[file], filename if file == files[0] else None)
            sources = [_sources(bound.arguments.get(file)) for file in files]
            if not sources[0] or any(source.table is not None for some in sources for source in some):
                return reader(*bound.args, **bound.kwargs)
            text = all(is_text(source) for some in sources for source in some)
            return read_in_worker(name, bound.args, bound.kwargs, sources[0][0].name, text)

        return read  # type: ignore[return-value]

    return decorate


def _loaded(value: Any, filename: str | None) -> Any:
    """Paths, bytes and readable objects as sources; anything else unchanged."""
    if isinstance(value, pd.DataFrame):  # before a column "read" is mistaken for the method of a file
        return Source.open(value, filename)
    if isinstance(value, Mapping):
        return {name: _loaded(entry, None) for name, entry in value.items()}
    if isinstance(value, str | bytes | bytearray | memoryview | os.PathLike) or hasattr(value, "read"):
        return Source.open(value, filename)
    return value


def _sources(value: Any) -> list[Source]:
    """The file itself, or those of a mapping."""
    return [one for one in (value.values() if isinstance(value, Mapping) else [value]) if isinstance(one, Source)]


# ---------------------------------------------------------------------------------------------------------------------
# The server's side of reading: each file in a worker that can open nothing.
#
# Why this is safe
# ------------
# 1. Workers are forked by a nursery (see `kanon_engine.processes.nursery`) that has every reader imported and tried.
# 2. Before a worker looks at the file, it gives up the right to open anything (RLIMIT_NOFILE is 0): whatever a library
# tries, every open() and socket() fails, also for another file, a temporary one, or an address. Files are read from
# memory. That alone is why no file can reach past itself. GDAL knows only the one driver that the first bytes call
# for, and links to coordinate systems are dropped; this only gives clearer sentences. Actions that need no file
# descriptor, such as removing a file, stay possible for code that took over a worker.
# 3. Memory, processor time and elapsed time are bounded in the worker itself; the server ends it after
# `Limits.patience` of elapsed time.
# 4. Answers are JSON and the bytes of arrays (see `answers`), never pickle.
# 5. Any failure in a worker becomes one of our sentences; the words of a library, which may quote a file, go only to
# the log.
#
# A command that reads texts into a table forks its worker from itself: it has the imports, and only reading texts is
# tried. The rights and limits of that worker are the same.
#
# If no worker can be forked, files are read in the process itself: limits of size hold there and links are dropped,
# but limits of memory and time do not hold, and nothing keeps a library from opening a file.
# ---------------------------------------------------------------------------------------------------------------------


AT_ONCE = 4  # workers; one more file has to wait
LOG = logging.getLogger(__name__)
NURSERY = Nursery("kanon_engine.io.worker")
SLOTS = Slots(AT_ONCE)
_unwanted: ContextVar[Callable[[], bool]] = ContextVar("_unwanted", default=lambda: False)


@contextmanager
def stopped_when(unwanted: Callable[[], bool]) -> Iterator[None]:
    """Within this, a file is no longer read once this is true: its worker is ended, and `SearchEnded` is raised."""
    before = _unwanted.set(unwanted)
    try:
        yield
    finally:
        _unwanted.reset(before)


def is_text(source: Source) -> bool:
    """Whether the first bytes are those of a text; nothing is unpacked to find out."""
    return not source.data.startswith(b"PK") and source.kind == "text"


def family_reading(reader: str) -> Family | None:
    """The family whose reader, or a part of it, has this dotted name."""
    package = reader.rsplit(".", 2)[0]
    return next((one for one in FAMILIES.values() if one.reader.function.module.startswith(f"{package}.")), None)


def _reads_tables(reader: str) -> bool:
    """Whether a reader needs no library for shapes as long as it is given texts."""
    family = family_reading(reader)
    return reader.startswith("kanon_engine.io.") if family is None else "json" not in family.reader.endings


def read_in_worker(
    reader: str, arguments: tuple[Any, ...], settings: dict[str, Any], name: str, text: bool = False
) -> Any:
    """The value of a reader, from a worker.

    Parameters
    ----------
    reader : One of `confined.READERS`.
    arguments, settings : Its arguments, files as sources.
    name : Name of the file, for sentences.
    text : Whether all files are texts.

    Raises `KanonError`: the reader's error, or one sentence with the limit that was exceeded and a way out.
    """
    most = limits()
    try:
        order = pickle.dumps((reader, asdict(most), name, arguments, settings), protocol=5)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise InvalidInput(
            f"{name} cannot be read, because the settings for reading it are not all plain lists, text and numbers; "
            "give only these."
        ) from error
    try:
        light = text and NURSERY.can_fork_alone and _reads_tables(reader)
        with SLOTS.one(), NURSERY.alone(order) if light else NURSERY.worker(order) as worker:
            first, body = _answer(worker, most, name)
    except NoWorker as none:
        raise InvalidInput(
            f"{name} cannot be read, because no process could be started to read it; try again."
        ) from none
    try:
        head = head_of(first)
        if head.get("log"):
            LOG.info("%r: %s", name, head["log"])
        if "error" not in head:
            return value_of(head["value"], body)
        failure: KanonError = error_of(head["error"])
    except Exception as broken:  # an invalid answer comes from a worker that the file took over
        LOG.info("%r: not a valid answer: %r", name, broken)
        failure = InvalidInput(f"{name} is broken, or is not the kind of file that it claims to be; save it again.")
    raise failure


def _answer(worker: Worker, most: FileLimits, name: str) -> tuple[memoryview, memoryview]:
    """Head and body of a worker's answer, or why it did not answer."""
    start = time.monotonic()  # the clock counts the worker's own time
    unwanted = _unwanted.get()
    try:
        head, body = worker.receive(start + most.patience, most.answer, unwanted)
    except AnswerTooLarge:
        raise InvalidInput(f"{name} holds more than {most.answer // MB:,} MB; simplify or split it.") from None
    except (WorkerEnded, WorkerLate) as end:
        if unwanted():
            raise SearchEnded(f"Reading {name} was stopped.") from None
        if isinstance(end, WorkerEnded) and time.monotonic() - start < most.seconds:
            raise InvalidInput(
                f"{name} is broken, or takes more than {most.memory // MB:,} MB of memory to read; save it again, "
                f"simplify it, or split it."
            ) from None
        raise InvalidInput(
            f"Reading {name} took more than {most.seconds:,.0f} seconds; simplify or split it, or {MORE}."
        ) from None
    worker.done()
    return head, body
