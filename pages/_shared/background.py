"""Long work beside the page: a thread that follows it, can have it stopped, and keeps what it found."""

from __future__ import annotations

import atexit
import logging
import math
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from kanon_engine import Certificate, Generalization, KanonError, Progress

DEFECT = (
    "This failed because of a defect in kanon, which the server’s log records in full; change a setting, or try again."
)
MOST_REMEMBERED = 2_000
LEFT_ALONE = 180.0  # seconds without a look after which work stops; hidden browser tabs look once a minute
LOG = logging.getLogger(__name__)
_running: weakref.WeakSet[Task] = weakref.WeakSet()


class TaskFailed(KanonError):
    """Work beside the page ended by an error that nobody foresaw; the log has it with its traceback."""


class Task:
    """Work that began when this was made.

    Parameters
    ----------
    work : callable
        ``work(task)`` makes the result and looks at `asked` meanwhile, as `kanon_engine.workers.search.Search` does of
        its listener, which a task is. It runs in a thread of its own, where nothing of Streamlit may be called.

    Attributes
    ----------
    progress : Progress or None
        The last report.
    stopped : str
        Why it was asked to stop: "" (it was not), "asked", "left alone" or "limit" (of time).
    waiting : bool
        Whether it waits for other work to end.
    part : str
        Which part of it is at work, where it has several.
    best : (Generalization, Certificate) or None
        The best so far of a search that goes on.
    improvements : int
        How many of them there were.
    history : list of (seconds, best, lower bound)
        What was reported whenever it had changed; NaN for what was not known.
    """

    def __init__(self, work: Callable[[Task], Any]) -> None:
        self.progress: Progress | None = None
        self.stopped = ""
        self.waiting = False
        self.part = ""
        self.best: tuple[Generalization, Certificate] | None = None
        self.improvements = 0
        self.history: list[tuple[float, float, float]] = []
        self._result: Any = None
        self._error: KanonError | None = None
        self._ended = False
        self._begun = self._looked = time.monotonic()
        self._seconds = 0.0
        self._over = threading.Event()
        _running.add(self)
        threading.Thread(target=self._run, args=(work,), name="kanon search", daemon=True).start()

    @property
    def running(self) -> bool:
        """Whether it still works."""
        return not self._over.is_set()

    @property
    def seconds(self) -> float:
        """How long it has been working, or did."""
        return time.monotonic() - self._begun if self.running else self._seconds

    def keep_alive(self) -> None:
        """Somebody is interested; work that nobody looks at stops."""
        self._looked = time.monotonic()

    def stop(self, why: str = "asked") -> None:
        """Ask it to stop with the best so far."""
        self.stopped = self.stopped or why

    def end(self) -> None:
        """Nobody wants what it finds: it is ended at once."""
        self._ended = True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it ends, at most so long; whether it ended."""
        self.keep_alive()
        return self._over.wait(seconds)

    def result(self) -> Any:
        """What the work returned, or the error that it raised: `TaskFailed` for one that is no `KanonError`."""
        self._over.wait()
        if self._error is not None:
            raise self._error.with_traceback(None)
        return self._result

    def report(self, progress: Progress) -> None:
        """Take a report of the work."""
        self.progress = progress
        self._remember(progress)

    def improved(self, g: Generalization, certificate: Certificate) -> None:
        """Take the best so far."""
        self.best = g, certificate
        self.improvements += 1

    def queued(self, waiting: bool) -> None:
        """Take note that the work waits for other work to end, or does not any more."""
        self.waiting = waiting

    def asked(self) -> str:
        """What the work is to do: "" go on, "stop" with the best so far, "end" at once."""
        if time.monotonic() - self._looked > LEFT_ALONE:
            self.stop("left alone")
        return "end" if self._ended else "stop" if self.stopped else ""

    def _remember(self, progress: Progress) -> None:
        pair = [math.nan if value is None else float(value) for value in (progress.best, progress.lower_bound)]
        if progress.best is None or (self.history and list(self.history[-1][1:]) == pair):
            return
        if len(self.history) >= MOST_REMEMBERED:  # every other one of the older half is enough for a picture
            half = MOST_REMEMBERED // 2
            self.history = self.history[:half:2] + self.history[half:]
        self.history.append((self.seconds, pair[0], pair[1]))

    def _run(self, work: Callable[[Task], Any]) -> None:
        try:
            self._result = work(self)
        except KanonError as error:
            self._error = error
        except BaseException as error:  # this thread is all that hears of it
            LOG.error("Work beside the page failed", exc_info=error)
            self._error = TaskFailed(DEFECT)
        self._seconds = time.monotonic() - self._begun
        _running.discard(self)
        self._over.set()


@atexit.register
def _stop_all() -> None:
    """A server that ends does not cut threads off in compiled code."""
    tasks = list(_running)
    for task in tasks:
        task.end()
    for task in tasks:
        task.wait(2)
