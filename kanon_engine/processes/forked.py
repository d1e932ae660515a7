"""The side of nurseries and workers: fork, receive, send, and keep to limits."""

from __future__ import annotations

import ctypes
import fcntl
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from kanon_engine.processes.nursery import HEADER, PID

ENDS_WITH_PARENT = 1  # PR_SET_PDEATHSIG
REST = 10.0  # idle seconds after which chores are done again


def serve(
    control: int, work: Callable[[socket.socket], object], chores: Callable[[], Iterable[None]] = tuple
) -> NoReturn:
    """Fork a worker for every line that arrives, and end with the server.

    Parameters
    ----------
    control : The socket on which lines arrive.
    work : ``work(line)`` runs in the worker.
    chores : callable
        ``chores()`` yields between pieces of work that are better done here than in each worker; at the start and
        whenever there is nothing else to do after a worker was forked. No piece may leave a thread behind, because
        threads do not survive a fork.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a worker, so none becomes a zombie
    gc.collect()
    gc.freeze()
    server = socket.socket(fileno=control)
    ready = select.poll()
    ready.register(server, select.POLLIN)
    left: Iterator[None] | None = iter(chores())
    worked = False
    while True:
        pause = 0.0 if left is not None else REST if worked else None
        if not ready.poll(None if pause is None else pause * 1000):
            if left is None:
                left, worked = iter(chores()), False
            elif next(left, left) is left:
                left = None
                gc.freeze()
            continue
        message, lines, _, _ = socket.recv_fds(server, 1, 1)
        if not message:
            os.killpg(0, signal.SIGKILL)  # the server is gone: end the workers and this process
        for line in lines:
            if os.fork() == 0:
                server.close()
                _work(socket.socket(fileno=line), work)
            os.close(line)
        worked = True


def _work(line: socket.socket, work: Callable[[socket.socket], object]) -> NoReturn:
    try:
        line.sendall(PID.pack(os.getpid()))
        work(line)
    finally:
        os._exit(0)


def close_others(line: socket.socket) -> socket.socket:
    """In a worker that a command forked: end with the command, and keep only the line, and standard error, open."""
    os.setsid()  # a terminal's Ctrl-C is for the command, which then ends this process
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ENDS_WITH_PARENT, signal.SIGKILL)
    kept = fcntl.fcntl(line, fcntl.F_DUPFD, 3)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    return socket.socket(fileno=kept)


def receive(line: socket.socket) -> tuple[memoryview, memoryview]:
    """Head and body of the server's next frame; the worker ends when there are no more."""
    head, body = HEADER.unpack(_received(line, HEADER.size))
    content = memoryview(_received(line, head + body))
    return content[:head], content[head:]


def _received(line: socket.socket, size: int) -> bytearray:
    got, place = bytearray(size), 0
    while place < size:
        more = line.recv_into(memoryview(got)[place:])
        if not more:
            os._exit(1)
        place += more
    return got


def send(line: socket.socket, head: Any, body: bytes = b"") -> None:
    """Send a frame, its head as JSON."""
    content = json.dumps(head).encode()
    line.sendall(HEADER.pack(len(content), len(body)) + content)
    line.sendall(body)


def spoken_to(line: socket.socket) -> bool:
    ready = select.poll()
    ready.register(line, select.POLLIN)
    return bool(ready.poll(0))


def keep_within(memory: int, seconds: float | None = None, patience: float | None = None) -> None:
    """Set limits for this process.

    Parameters
    ----------
    memory : Bytes beyond its current use.
    seconds, patience : float, optional
        Processor time from here on, and elapsed time, after which it ends, whatever it does; if they are left out,
        only the server limits it.
    """
    _limit(resource.RLIMIT_AS, _address_space() + memory)
    _limit(resource.RLIMIT_CORE, 0)
    if seconds is not None:
        # the limit counts from the start of the process
        used = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(seconds + used.ru_utime + used.ru_stime) + 1)
    if patience is not None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(patience) + 5)


def open_nothing() -> None:
    """From here on nothing can be opened."""
    _limit(resource.RLIMIT_NOFILE, 0)


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def _address_space() -> int:
    """Bytes that this process uses; 0 if unknown."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def lacks_memory(error: BaseException) -> bool:
    """Whether Python or a library raises this when memory is exhausted."""
    return isinstance(error, MemoryError) or "bad_alloc" in str(error)


def cause(error: BaseException | None) -> str:
    return "" if error is None else f"{type(error).__name__}: {str(error)[:300]!r}"
