"""The server's side of reading: each file in a worker that can open nothing.

How it holds
------------
1. Workers are forked by a nursery (see `kanon_engine.processes.nursery`) that has every reader imported and tried.
2. Before a worker looks at the file, it gives up the right to open anything (RLIMIT_NOFILE is 0): whatever a library
   tries, every open() and socket() fails, also for another file, a temporary one, or an address. Files are read from
   memory. That alone is why no file can reach past itself; that GDAL knows but the one driver that the first bytes ask
   for, and that links to coordinate systems are dropped, makes good sentences of it. What needs no file descriptor,
   such as removing a file, stays possible to code that took a worker over.
3. Memory, processor time and the clock are bounded in the worker itself; the server ends it after `Limits.patience` by
   the clock.
4. What comes back is JSON and the bytes of arrays (see `answers`), never pickle.
5. Any failure in a worker becomes a sentence of ours; the words of a library, which may hold what a file says, go to
   the log alone.

Where no worker can be forked, files are read in the process itself: limits of size hold there and links are dropped,
but not limits of memory and time, and nothing keeps a library from opening a file.
"""

from __future__ import annotations

import logging
import pickle
import time
from dataclasses import asdict
from typing import Any

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io.answers import error_of, head_of, value_of
from kanon_engine.io.limits import MB, MORE, Limits, limits
from kanon_engine.processes.nursery import AnswerTooLarge, NoWorker, Nursery, Worker, WorkerEnded, WorkerLate
from kanon_engine.processes.slots import Slots

AT_ONCE = 4  # workers; one more file waits
LOG = logging.getLogger(__name__)
NURSERY = Nursery("kanon_engine.io.worker")
SLOTS = Slots(AT_ONCE)


def read_apart(reader: str, arguments: tuple[Any, ...], settings: dict[str, Any], name: str) -> Any:
    """What a reader returns, from a worker.

    Parameters
    ----------
    reader : str
        One of `confined.READERS`.
    arguments, settings
        Its arguments, files as sources.
    name : str
        Of the file, for sentences.

    Raises
    ------
    KanonError
        What the reader says, or one sentence with the limit that was passed and a way out.
    """
    most = limits()
    try:
        order = pickle.dumps((reader, asdict(most), name, arguments, settings), protocol=5)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise InvalidInput(f"{name} cannot be read with these settings; give plain lists, text and numbers.") from error
    try:
        with SLOTS.one(), NURSERY.worker(order) as worker:
            first, body = _answer(worker, most, name)
    except NoWorker as none:
        raise InvalidInput(f"{name} cannot be read, for no process to read it could be begun.") from none
    try:
        head = head_of(first)
        if head.get("log"):
            LOG.info("%r: %s", name, head["log"])
        if "error" not in head:
            return value_of(head["value"], body)
        told: KanonError = error_of(head["error"])
    except Exception as broken:  # an answer that is none comes from a worker that the file took over
        LOG.info("%r: an answer that is none: %r", name, broken)
        told = InvalidInput(f"{name} is broken or of another kind than it says; save it again.")
    raise told


def _answer(worker: Worker, most: Limits, name: str) -> tuple[memoryview, memoryview]:
    """Head and body of a worker's answer, or what kept it from answering."""
    begun = time.monotonic()  # the clock counts the worker's own time
    try:
        head, body = worker.receive(begun + most.patience, most.answer)
    except AnswerTooLarge:
        raise InvalidInput(f"{name} holds more than {most.answer // MB:,} MB; simplify or split it.") from None
    except (WorkerEnded, WorkerLate) as end:
        if isinstance(end, WorkerEnded) and time.monotonic() - begun < most.seconds:
            raise InvalidInput(
                f"{name} is broken, or takes more than {most.memory // MB:,} MB of memory to read; save it again, "
                f"simplify or split it."
            ) from None
        raise InvalidInput(
            f"Reading {name} took more than {most.seconds:,.0f} seconds; simplify or split it, or {MORE}."
        ) from None
    worker.done()
    return head, body
