"""The server's side: one process that forks a worker for each file, and what is said to it.

How it holds
------------
1. The *nursery* is a process of its own, single-threaded, with every reader imported and tried; it forks a worker a
   file. It is begun by `subprocess`, for under Streamlit the children of `multiprocessing` run app.py again.
2. Before a worker looks at the file, it gives up the right to open anything (RLIMIT_NOFILE is 0): whatever a library
   tries, every open() and socket() fails, also for another file, a temporary one, or an address. Files are read from
   memory. That alone is why no file can reach past itself; that GDAL knows but the one driver that the first bytes ask
   for, and that links to coordinate systems are dropped, makes good sentences of it. What needs no file descriptor,
   such as removing a file, stays possible to code that took a worker over.
3. Memory, processor time and the clock are bounded in the worker itself, also when the server is gone; the server ends
   it after `Limits.patience` by the clock.
4. What comes back is Arrow and JSON, never pickle: a worker that was taken over cannot run code in the server.
5. Any failure in a worker becomes a sentence of ours; the words of a library, which may hold what a file says, go to
   the log alone.
6. The nursery ends with the server, however that ends, and takes its workers along: it waits for the next file on a
   socket whose other end dies with the server.

Unix alone can do this (`SUPPORTED`). Elsewhere files are read in the process itself: limits of size hold there and
links are dropped, but not limits of memory and time, and nothing keeps a library from opening a file. macOS does not
enforce the limit of memory.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io.answers import error_of, value_of
from kanon_engine.io.limits import MB, Limits, limits

SUPPORTED = hasattr(os, "fork") and hasattr(socket, "send_fds") and sys.platform not in ("emscripten", "wasi")
ROOT = Path(__file__).parents[2]
AT_ONCE = 4  # workers; one more file waits
START = 120.0  # seconds that a nursery may take to begin
HEADER = struct.Struct("<QQ")
PID = struct.Struct("<I")
LOG = logging.getLogger(__name__)
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # others reserve address space by the gigabyte
    "MALLOC_ARENA_MAX": "2",
    "PROJ_NETWORK": "OFF",
}
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[2])
from kanon_engine.io.worker import main
main(int(sys.argv[1]))
"""


class _NoWorker(RuntimeError):
    """The nursery, which is its argument, did not answer."""


class Nursery:
    """The process that forks workers; begun at the first file, begun again when it is gone."""

    def __init__(self) -> None:
        self._begin_anew()

    def forget(self) -> None:
        """In a forked process: leave the nursery to the one that began it."""
        if self._control is not None:
            self._control.close()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def warm(self) -> None:
        """Begin it without waiting for it, so that the first person does not wait for its imports."""
        if not SUPPORTED:
            return
        with self._lock:
            self._begun()

    def close(self) -> None:
        """End it and its workers."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        """The same; the lock is held."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._control = None

    @property
    def pid(self) -> int | None:
        """Of the nursery's process, None before it begins."""
        return None if self._process is None else self._process.pid

    def read(self, reader: str, arguments: tuple[Any, ...], settings: dict[str, Any], name: str) -> Any:
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
            raise InvalidInput(
                f"{name} cannot be read with these settings; give plain lists, text and numbers."
            ) from error
        with self._places:
            try:
                head, body = self._asked(order, most, name)
            except _NoWorker as none:  # the nursery ended since the last file
                with self._lock:
                    if self._process is none.args[0]:
                        self._end()
                try:
                    head, body = self._asked(order, most, name)
                except _NoWorker as none:
                    raise InvalidInput(f"{name} cannot be read, for no process to read it could be begun.") from none
        if head.get("log"):
            LOG.info("%r: %s", name, head["log"])
        try:
            if "error" not in head:
                return value_of(head["value"], body)
            told: KanonError = error_of(head["error"])
        except Exception as broken:  # an answer that is none comes from a worker that the file took over
            LOG.info("%r: an answer that is none: %r", name, broken)
            told = _spoilt(name)
        raise told

    def _begun(self) -> socket.socket:
        """The line to the nursery; the lock is held."""
        if self._process is not None and self._control is not None and self._process.poll() is None:
            return self._control
        if self._control is not None:
            self._control.close()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(theirs.fileno()), str(ROOT)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | ENVIRONMENT,
                start_new_session=True,  # a terminal's Ctrl-C is for the server, and the nursery ends its whole group
            )
        self._control = ours
        return ours

    def _asked(self, order: bytes, most: Limits, name: str) -> tuple[dict[str, Any], memoryview]:
        """Head and body of a worker's answer."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._lock:
                control, process = self._begun(), self._process
                try:
                    socket.send_fds(control, [b"w"], [theirs.fileno()])
                except OSError as error:
                    raise _NoWorker(process) from error
            conversation = _Conversation(ours, most, name)
            try:
                if not conversation.begins(order):
                    raise _NoWorker(process)
                return conversation.answer()
            finally:
                conversation.end()


class _Conversation:
    """One file, one worker."""

    def __init__(self, line: socket.socket, most: Limits, name: str) -> None:
        self.line, self.most, self.name = line, most, name
        self.pid = 0
        self.begun = time.monotonic()

    def begins(self, order: bytes) -> bool:
        """Give the order, once there is a worker; False where there is none."""
        got = bytearray(PID.size)
        try:
            self._receive(memoryview(got), time.monotonic() + START)
            self.pid = PID.unpack(got)[0]
            self.line.settimeout(START)
            self.line.sendall(HEADER.pack(len(order), 0))
            self.line.sendall(order)
        except (InvalidInput, OSError):
            return False
        return True

    def answer(self) -> tuple[dict[str, Any], memoryview]:
        """Wait for head and body."""
        self.begun = time.monotonic()  # the clock counts the worker's own time
        deadline = self.begun + self.most.patience
        header = bytearray(HEADER.size)
        self._receive(memoryview(header), deadline)
        head, body = HEADER.unpack(header)
        if head + body > self.most.answer:
            raise InvalidInput(f"{self.name} holds more than {self.most.answer // MB:,} MB; simplify or split it.")
        content = bytearray(head + body)
        self._receive(memoryview(content), deadline)
        self.pid = 0  # it is done
        try:
            return json.loads(content[:head]), memoryview(content)[head:]
        except (ValueError, RecursionError):
            raise _spoilt(self.name) from None

    def end(self) -> None:
        """Kill the worker unless it is done."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _receive(self, into: memoryview, deadline: float) -> None:
        """Fill a buffer, or say what kept the worker from it."""
        self.line.settimeout(0.2)
        place = 0
        while place < len(into):
            try:
                size = self.line.recv_into(into[place:])
            except TimeoutError:
                size = -1
            except ConnectionError:
                size = 0
            now = time.monotonic()
            if size == 0 and now - self.begun < self.most.seconds:
                raise InvalidInput(
                    f"{self.name} is broken, or takes more than {self.most.memory // MB:,} MB of memory to read; save "
                    f"it again, simplify or split it."
                )
            if size == 0 or now > deadline:
                raise InvalidInput(
                    f"Reading {self.name} took more than {self.most.seconds:,.0f} seconds; simplify or split it, or "
                    f"start kanon with KANON_LIMITS=10, which makes every limit ten times as large."
                )
            place += max(size, 0)


def _spoilt(name: str) -> InvalidInput:
    return InvalidInput(f"{name} is broken or of another kind than it says; save it again.")


NURSERY = Nursery()
atexit.register(NURSERY.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=NURSERY.forget)
