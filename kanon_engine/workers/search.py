"""The server's side of a search: it runs in a worker, reports, can be stopped gently or at once, and has limits.

Why this is safe
----------------
1. A search that does not end, does not report, takes too much memory or crashes costs its worker; server, pages and
   other searches continue. Each of these cases is one sentence (`SearchEnded`) with a way out.
2. Instances go to the worker as pickle, from the server that made them. Reports and results come back as JSON, and a
   result is read like an untrusted certificate, compared with the request, and verified here, once.
3. As many searches run at once as there are processors, at least two; others wait in order of arrival. Quick answers,
   for which a person waits, have their own slots.

If no worker can be forked, a search runs in the thread that requests it: it is stopped at its next report, and there
is no memory limit.
"""

from __future__ import annotations

import logging
import math
import os
import pickle
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from kanon_engine.errors import KanonError, SearchEnded
from kanon_engine.generalize import Certificate, certified, verify
from kanon_engine.io.answers import error_of, head_of
from kanon_engine.io.limits import MB, MORE, FileLimits, limits
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_of
from kanon_engine.model.objective import Cost
from kanon_engine.model.requirement import Requirement
from kanon_engine.model.run import Progress
from kanon_engine.processes.nursery import (
    POLL,
    SUPPORTED,
    AnswerTooLarge,
    NoWorker,
    Nursery,
    Slots,
    Worker,
    WorkerEnded,
    WorkerLate,
)

APART = SUPPORTED  # whether searches run in workers
KNOWN = "kanon_engine."  # a family that was added only to this process is not known to the nursery
AT_ONCE = max(2, os.cpu_count() or 1)
QUICK_AT_ONCE = 4
STOP_PATIENCE = 2.0  # seconds in which a search must report after a stop request
GRACE = 60.0  # seconds in which a search that reported must return its best
SHOWN, RARER = 1.0, 10  # seconds between two solutions that are passed on, and as a multiple of the time that one takes
LONGEST = 1_000  # characters of a search's own message
LOG = logging.getLogger(__name__)
NURSERY = Nursery("kanon_engine.workers.searching")
SLOTS = Slots(AT_ONCE)
QUICK_SLOTS = Slots(QUICK_AT_ONCE)


@dataclass(frozen=True)
class Request:
    """A search request; the fields are arguments of `generalize`, and whether to show improvements meanwhile."""

    k: int
    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    time_limit: float | None = None
    require: tuple[Requirement, ...] = ()
    shown: bool = False


class Improvements:
    """Which solutions of a running search to pass on: different from the last one, and not too often."""

    def __init__(self) -> None:
        self._next = time.monotonic() + SHOWN
        self._last: np.ndarray | None = None

    def of(self, progress: Progress) -> Generalization | None:
        """The solution of a report, if it has one."""
        start = time.monotonic()
        if progress.solution is None or start < self._next:
            return None
        g: Generalization = progress.solution()
        took = time.monotonic() - start
        self._next = start + took + max(SHOWN, RARER * took)
        if self._last is not None and np.array_equal(self._last, g.assignment):
            return None
        self._last = g.assignment
        return g


class Listener(Protocol):
    """A listener to a search; called from the thread in which `Search.run` was called."""

    def report(self, progress: Progress) -> None:
        """Receive a `Progress`."""

    def improved(self, g: Generalization, certificate: Certificate) -> None:
        """Receive the best so far, if requested; it is verified."""

    def queued(self, waiting: bool) -> None:
        """Learn that the search waits for others to end, or no longer waits."""

    def stop(self, why: str) -> None:
        """Learn that the search must stop because it reached a limit; from now on `asked` says so."""

    def asked(self) -> str:
        """The request: "" to continue, "stop" to keep the best so far, "end" to give up everything at once."""


class Search:
    """Searches on one instance, one after the other, in one worker while it lives.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    quick : Whether a person waits for the answer with nothing to look at.
    """

    def __init__(self, instance: Any, listener: Listener, quick: bool = False) -> None:
        self._instance, self._listener = instance, listener
        self._quick, self._slots = quick, QUICK_SLOTS if quick else SLOTS
        self._worker: Worker | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def run(self, request: Request) -> tuple[Generalization, Certificate]:
        """The result and its certificate.

        Raises
        ------
        KanonError
            As `generalize`; `SearchEnded` if there is no result because a limit was exceeded, the worker ended, or this
            was requested.
        """
        with self._slots.one(self._waits) as free:
            if not free:
                raise SearchEnded("The search was stopped before it began.")
            if not (APART and type(self._instance).__module__.startswith(KNOWN)):
                return self._in_place(request)
            try:
                return self._apart(request)
            except (SearchEnded, NoWorker, OSError):
                self._leave()
                raise

    def _waits(self, waiting: bool) -> bool:
        self._listener.queued(waiting)
        return not self._listener.asked()

    def _leave(self) -> None:
        """End the worker; the next search gets a new one."""
        self._stack.close()
        self._worker = None

    # -------------------------------------------------------------------------------------------------- in a thread

    def _in_place(self, request: Request) -> tuple[Generalization, Certificate]:
        clock = _SearchClock(limits().search_seconds, self._listener)
        improvements = Improvements()

        def listen(progress: Progress) -> bool:
            self._listener.report(progress)
            g = improvements.of(progress) if request.shown else None
            if g is not None:
                self._listener.improved(g, verify(self._instance, g))
            clock.check()
            return not self._listener.asked()

        return certified(self._instance, request.k, request.algorithm, progress=listen, **_settings(request))

    # -------------------------------------------------------------------------------------------------- in a worker

    def _apart(self, request: Request) -> tuple[Generalization, Certificate]:
        most, title = limits(), family_of(self._instance).algorithm(request.algorithm).title
        try:
            if self._worker is None:
                # the protocol keeps arrays read-only
                order = pickle.dumps((self._instance, most.search_memory, self._quick), protocol=5)
                self._worker = self._stack.enter_context(NURSERY.worker(order))
            self._worker.send(b"", pickle.dumps(request))
            head, body = self._answer(self._worker, request, most, title)
            failure = error_of(head["error"]) if "error" in head else None
        except (NoWorker, WorkerEnded) as end:
            if isinstance(end, NoWorker):
                raise SearchEnded(
                    f"{title} cannot search because no process could be started for it; try again."
                ) from None
            raise SearchEnded(
                f"{title} ended without a result: its process was killed, or took more than "
                f"{most.search_memory // MB:,} MB of memory; search again, choose another algorithm, or {MORE}."
            ) from None
        except (WorkerLate, AnswerTooLarge, ValueError, TypeError, LookupError, RecursionError) as error:
            raise _failed(title, repr(error)) from None
        if head.get("log"):
            LOG.error("%s: %s", request, head["log"])
        if failure is not None:
            raise failure
        return self._verified(request, bytes(body), title)

    def _answer(
        self, worker: Worker, request: Request, most: FileLimits, title: str
    ) -> tuple[dict[str, Any], memoryview]:
        """Head and body of the last frame; reports are passed on, and requests are passed to the worker."""
        listener, clock, improved = self._listener, _SearchClock(most.search_seconds, self._listener), False
        patience = 0.0  # deadline for its answer after a stop request
        while True:
            clock.check()
            command = listener.asked()
            if command == "end":
                raise SearchEnded(f"{title} was canceled.")
            if command == "stop" and not patience:
                worker.send(b"stop")
                patience = time.monotonic() + STOP_PATIENCE
            if patience and time.monotonic() > patience:
                raise SearchEnded(_unheard(title, clock, improved))
            if not worker.spoke(POLL):
                continue
            first, body = worker.receive(time.monotonic() + GRACE, most.answer)
            head = head_of(first)
            if "progress" in head:
                done, best, bound, message = head["progress"]
                # a worker is not trusted, so every value is converted
                report = Progress(float(done), _cost(best), _cost(bound), str(message)[:LONGEST])
                listener.report(report)
            elif "improved" in head:
                listener.improved(*self._verified(request, bytes(body), title))
                improved = True
            elif "stops" in head:
                patience = time.monotonic() + GRACE
            else:
                return head, body

    def _verified(self, request: Request, text: bytes, title: str) -> tuple[Generalization, Certificate]:
        """A worker's result, which is not trusted."""
        try:
            g = Generalization.from_json(text)
            algorithm = family_of(self._instance).algorithm(request.algorithm)
            same = (g.k, g.algorithm, g.seed) == (request.k, algorithm.name, request.seed)
            if (
                not same
                or g.require != request.require
                or dict(g.options) != algorithm.checked_options(request.options)
            ):
                raise _failed(title, "a result other than the requested one")
        except SearchEnded:
            raise
        except KanonError as error:
            raise _failed(title, str(error)) from error
        return g, verify(self._instance, g)


class _SearchClock:
    """Ask a search to stop when its time is up."""

    def __init__(self, seconds: float, listener: Listener) -> None:
        self.seconds, self._listener = seconds, listener
        self._until = time.monotonic() + seconds
        self.over = False

    def check(self) -> None:
        if not self.over and time.monotonic() > self._until:
            self.over = True
            self._listener.stop("limit")


def _settings(request: Request) -> dict[str, Any]:
    return {"seed": request.seed, "time_limit": request.time_limit, "require": request.require, **request.options}


def _cost(value: Any) -> Cost | None:
    """A cost or a bound that a worker reports."""
    return value if type(value) is int or (type(value) is float and math.isfinite(value)) else None


def _unheard(title: str, clock: _SearchClock, improved: bool) -> str:
    """The error for a search that did not stop when asked; `improved`: whether one of its results was shown."""
    if improved:
        return f"{title} was ended because it did not stop within a few seconds; the best result shown so far is kept."
    if clock.over:
        return (
            f"{title} took more than {clock.seconds / 60:,.0f} minutes and found no result; choose another "
            f"algorithm, or {MORE}."
        )
    return f"{title} was ended without a result because it did not stop within a few seconds."


def too_much(title: str, memory: int) -> str:
    return f"{title} took more than {memory // MB:,} MB of memory; choose another algorithm, or {MORE}."


def defect(title: str) -> str:
    return f"{title} ended because of a defect in kanon; see the server's log, and choose another algorithm."


def _failed(title: str, reason: str) -> SearchEnded:
    LOG.error("%s: %s", title, reason)
    return SearchEnded(defect(title))
