"""The server's side: a process that forks workers, and the line to each of them.

Why this is safe
----------------
1. A *nursery* is a separate, single-threaded process in which everything that its workers need is imported and tried;
   it forks a worker for each piece of work. `subprocess` starts it, because under Streamlit the children of
   `multiprocessing` run app.py again.
2. Server and worker exchange frames with a head and a body. A worker never sends pickle: one that was taken over
   cannot run code in the server.
3. A worker limits its own memory and time (`forked.keep_within`), even when the server is gone, and the server can end
   it at any time.
4. The nursery ends with the server, however that ends, and takes its workers along: it waits for the next piece of
   work on a socket whose other end dies with the server.
5. A command has no server: it may fork a worker itself (`Nursery.alone`), which closes every file that the command has
   open and is held to the same limits.

Only Unix can do this (`SUPPORTED`). macOS does not enforce the memory limit.
"""

from __future__ import annotations

import atexit
import importlib
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SUPPORTED = hasattr(os, "fork") and hasattr(socket, "send_fds") and sys.platform not in ("emscripten", "wasi")
ROOT = Path(__file__).parents[2]
START = 120.0  # seconds that a nursery may take to start
HEADER = struct.Struct("<QQ")  # sizes of head and body
PID = struct.Struct("<I")
PROGRAM = """
import importlib, sys
_, module, control, root = sys.argv
if root not in sys.path:
    sys.path.insert(0, root)
importlib.import_module(module).main(int(control))
"""
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # others reserve gigabytes of address space
    "MALLOC_ARENA_MAX": "2",
    "PROJ_NETWORK": "OFF",
}


class NoWorker(RuntimeError):
    """No worker could be forked."""


class WorkerEnded(RuntimeError):
    """The worker is gone: it ended itself, was killed, or could not start."""


class WorkerLate(RuntimeError):
    """The worker did not answer in time."""


class AnswerTooLarge(RuntimeError):
    """The worker tried to send more than is allowed."""


class Worker:
    """A forked process and the line to it."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self.pid = 0

    def begin(self) -> None:
        got = bytearray(PID.size)
        self._fill(memoryview(got), time.monotonic() + START)
        (self.pid,) = PID.unpack(got)

    def send(self, head: bytes = b"", body: bytes = b"") -> None:
        """Send a frame."""
        self._line.settimeout(START)
        try:
            self._line.sendall(HEADER.pack(len(head), len(body)))
            self._line.sendall(head)
            self._line.sendall(body)
        except OSError as error:
            raise WorkerEnded from error

    def spoke(self, seconds: float) -> bool:
        """Whether there is something to receive, perhaps its end, after at most this many seconds."""
        self._line.settimeout(seconds)
        try:
            self._line.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True

    def receive(
        self, until: float, most: int, unwanted: Callable[[], bool] = lambda: False
    ) -> tuple[memoryview, memoryview]:
        """Head and body of the next frame, of no more bytes than `most`, by a time on the monotonic clock.

        Raises `WorkerLate` at that time, and as soon as the frame is unwanted.
        """
        header = bytearray(HEADER.size)
        self._fill(memoryview(header), until, unwanted)
        head, body = HEADER.unpack(header)
        if head + body > most:
            raise AnswerTooLarge
        content = bytearray(head + body)
        self._fill(memoryview(content), until, unwanted)
        return memoryview(content)[:head], memoryview(content)[head:]

    def done(self) -> None:
        self.pid = 0

    def end(self) -> None:
        """Kill it unless it has ended."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.pid = 0
        self._line.close()

    def _fill(self, into: memoryview, until: float, unwanted: Callable[[], bool] = lambda: False) -> None:
        self._line.settimeout(0.2)
        place = 0
        while place < len(into):
            try:
                size = self._line.recv_into(into[place:])
            except TimeoutError:
                size = -1
            except ConnectionError:
                size = 0
            if size == 0:
                raise WorkerEnded
            if time.monotonic() > until or unwanted():
                raise WorkerLate
            # -1: nothing has come yet
            place += max(size, 0)


class Nursery:
    """The process that forks workers; started at the first piece of work, and started again when it is gone.

    `module`: where the process starts: its ``main(number of the socket)`` ends in `forked.serve`.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._restart()
        _nurseries.add(self)

    def forget(self) -> None:
        """In a forked process: leave the nursery to the process that started it."""
        if self._control is not None:
            self._control.close()
        self._restart()

    def _restart(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def warm(self) -> None:
        """Start it without waiting, so that the first person does not wait for its imports."""
        if not SUPPORTED:
            return
        with self._lock:
            self._begun()

    def close(self) -> None:
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
        """The id of the nursery's process, None before it starts."""
        return None if self._process is None else self._process.pid

    @contextmanager
    def worker(self, order: bytes) -> Iterator[Worker]:
        """A new worker with its order; it is ended afterwards.

        Raises `NoWorker`: neither the existing nursery nor a new one made a worker.
        """
        worker = self._forked(order)
        try:
            yield worker
        finally:
            worker.end()

    @contextmanager
    def alone(self, order: bytes) -> Iterator[Worker]:
        """The same, forked from this process, whose imports it shares: there is no nursery to start.

        The module's ``alone(line)`` runs in it, and prepares only what this order needs.
        """
        ours, theirs = socket.socketpair()
        worker = Worker(ours)
        try:
            child = os.fork()
        except OSError as error:
            raise NoWorker from error
        if child == 0:
            try:
                importlib.import_module(self._module).alone(theirs)
            finally:
                os._exit(1)
        try:
            theirs.close()
            worker.send(b"", order)
            yield worker
        finally:
            worker.pid = child
            worker.end()
            os.waitpid(child, 0)

    @property
    def can_fork_alone(self) -> bool:
        """Whether this process is a command that called `share_imports` and has neither a nursery nor other threads."""
        return _sharing and SUPPORTED and self._process is None and threading.active_count() == 1

    def _forked(self, order: bytes) -> Worker:
        process = None
        # the nursery may have ended since the last order: then a new one is tried once
        for _ in range(2):
            ours, theirs = socket.socketpair()
            worker = Worker(ours)
            try:
                with theirs, self._lock:
                    if process is not None and self._process is process:  # it has ended since the last order
                        self._end()
                    control, process = self._begun(), self._process
                    socket.send_fds(control, [b"w"], [theirs.fileno()])
                worker.begin()
                worker.send(b"", order)
                return worker
            except (OSError, WorkerEnded, WorkerLate):
                worker.end()
        raise NoWorker

    def _begun(self) -> socket.socket:
        """The line to the nursery; the lock is held."""
        if self._process is not None and self._control is not None and self._process.poll() is None:
            return self._control
        if self._control is not None:
            self._control.close()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, self._module, str(theirs.fileno()), str(ROOT)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | ENVIRONMENT,
                start_new_session=True,  # a terminal's Ctrl-C is for the server, and the nursery ends its whole group
            )
        self._control = ours
        return ours


_nurseries: weakref.WeakSet[Nursery] = weakref.WeakSet()
_sharing = False


def share_imports() -> None:
    """Let this process fork workers itself; called before anything starts threads, such as numpy."""
    global _sharing
    os.environ.update(ENVIRONMENT)
    _sharing = True


@atexit.register
def _close_all() -> None:
    for nursery in list(_nurseries):
        nursery.close()


def _forget_all() -> None:
    for nursery in list(_nurseries):
        nursery.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


POLL = 0.05  # seconds between two checks whether a waiting one still wants to wait


class Slots:
    """A queue in which the first `count` work and the others wait."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._queue: list[object] = []
        self._changed = threading.Condition()

    @contextmanager
    def one(self, wait: Callable[[bool], bool] = lambda waiting: True) -> Iterator[bool]:
        """A slot, once one is free.

        Parameters
        ----------
        wait : callable
            ``wait(True)`` is called repeatedly while none is free, and returns whether to keep waiting; ``wait(False)``
            is called when one is.

        Yields
        ------
        bool : Whether it has a slot.
        """
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            yield self._taken(ticket, wait)
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _taken(self, ticket: object, wait: Callable[[bool], bool]) -> bool:
        while True:
            with self._changed:
                if self._queue.index(ticket) < self.count:
                    break
                self._changed.wait(POLL)
            if not wait(True):
                return False
        wait(False)
        return True
