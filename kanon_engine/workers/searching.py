"""The code that runs in the nursery of searches and in its workers; see `search` for why this is safe."""

from __future__ import annotations

import importlib
import os
import pickle
import pkgutil
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numba.core.dispatcher import Dispatcher

import kanon_engine as kanon
from kanon_engine.errors import KanonError, SearchEnded
from kanon_engine.generalize import unverified
from kanon_engine.io.answers import error_answer
from kanon_engine.kernel_cache import compiled_where_slow, kernels_of, load_cached, nothing_compiled
from kanon_engine.model.known import family_of
from kanon_engine.model.run import Progress
from kanon_engine.processes import forked
from kanon_engine.workers.search import Improvements, Request, defect, too_much

OFTEN = 0.1  # seconds between two reports
LONGEST_LOG = 4_000  # characters
SMALL = 1_000  # items for which every kernel is fast as plain Python
NOT_NEEDED = ("__main__", "cli", "plot", "read", "release", "studies")  # modules and packages with these names
ALSO = ("geopandas", "ortools.sat.python.cp_model")  # a solver's threads start in the worker that uses it


def main(control: int) -> NoReturn:
    """Import every algorithm, then fork a worker for every line that arrives, and load kernels in between."""
    warnings.simplefilter("ignore")
    for name in (*_modules("kanon_engine", kanon.__path__), *ALSO):
        importlib.import_module(name)
    forked.serve(control, _work, _chores)


def _modules(package: str, folders: Iterable[str]) -> Iterator[str]:
    """The modules of a package that searches may need, imported along the way."""
    for module in pkgutil.iter_modules(folders, f"{package}."):
        if module.name.rpartition(".")[2] not in NOT_NEEDED:
            yield module.name
            if module.ispkg:
                yield from _modules(module.name, importlib.import_module(module.name).__path__)


def _chores() -> Iterator[None]:
    """Load compiled kernels, and use them to run what a person is likely to need first."""
    kernels = _kernels()
    before = sum(len(kernel.signatures) for kernel in kernels)
    for _ in load_cached(kernels):
        yield
    if sum(len(kernel.signatures) for kernel in kernels) > before:
        for instance in small_instances():
            family = family_of(instance)
            for name in {family.quick, family.default}:
                with suppress(Exception), nothing_compiled(kernels):
                    unverified(instance, 2, name).to_json()
                yield


def _kernels() -> set[Dispatcher[Any]]:
    return kernels_of([module for name, module in sys.modules.items() if name.startswith("kanon_engine.")])


def small_instances() -> Iterator[Any]:
    """One of each family, solved without a thread."""
    six = np.arange(6)
    edges = np.array([(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)])
    yield kanon.Regions(six, np.ones(6, dtype=np.int64), edges)
    yield kanon.Points(np.column_stack([six // 3, six % 3]).astype(float))
    yield kanon.Labels(np.array(list("abcdef")), six + 1)
    yield kanon.Table(pd.DataFrame({"a": six // 2, "b": list("xyxyxx")}), ["a", "b"])


def _work(line: socket.socket) -> None:
    """Search on one instance as often as requested."""
    _, order = forked.receive(line)
    instance, memory, quick = pickle.loads(order)  # from the server
    os.nice(0 if quick else 5)
    forked.keep_within(memory)
    plain_first = quick and len(instance) <= SMALL  # the first person on an empty machine waits; others compile
    with compiled_where_slow(_kernels() if plain_first else ()):
        while True:
            head, request = forked.receive(line)
            if bytes(head) != b"stop":  # too late, for a search that has ended
                forked.send(line, *_answered(line, instance, pickle.loads(request), memory))


def _answered(line: socket.socket, instance: Any, request: Request, memory: int) -> tuple[dict[str, Any], bytes]:
    title = request.algorithm
    try:
        title = family_of(instance).algorithm(request.algorithm).title
        g = unverified(
            instance,
            request.k,
            request.algorithm,
            require=request.require,
            seed=request.seed,
            time_limit=request.time_limit,
            progress=_Reporter(line, request.shown),
            **request.options,
        )
        return {"result": True}, g.to_json().encode()
    except KanonError as error:
        return {"error": error_answer(error), "log": forked.cause(error.__cause__)}, b""
    except BaseException as error:
        what = too_much(title, memory) if forked.lacks_memory(error) else defect(title)
        log = "".join(traceback.format_exception(error))[-LONGEST_LOG:]
        return {"error": error_answer(SearchEnded(what)), "log": log}, b""


class _Reporter:
    """Sends the reports of a search, not too often, and checks whether it should stop; solvers call it from threads."""

    def __init__(self, line: socket.socket, with_solutions: bool) -> None:
        self._line, self._lock = line, threading.Lock()
        self._improvements = Improvements() if with_solutions else None
        self._last = -OFTEN
        self._stops = False

    def __call__(self, progress: Progress) -> bool:
        with self._lock:
            now = time.monotonic()
            if not self._stops and now - self._last >= OFTEN:
                self._last = now
                numbers = [
                    value.item() if isinstance(value, np.generic) else value
                    for value in (progress.best, progress.lower_bound)
                ]
                forked.send(self._line, {"progress": [float(progress.done), *numbers, progress.message]})
                if forked.spoken_to(self._line):
                    forked.receive(self._line)
                    self._stops = True
                    forked.send(self._line, {"stops": True})
                g = None if self._stops or self._improvements is None else self._improvements.of(progress)
                if g is not None:
                    forked.send(self._line, {"improved": True}, g.to_json().encode())
            return not self._stops
