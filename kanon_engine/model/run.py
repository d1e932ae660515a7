"""An algorithm's inputs besides its instance: randomness, a clock and a listener for reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kanon_engine.model.objective import Bound, Cost
from kanon_engine.shown import Shown


@dataclass(frozen=True)
class Progress(Shown):
    """One report of a running search."""

    done: float  # finished share of the work, 0 to 1
    best: Cost | None  # cost of the best solution so far
    lower_bound: Cost | None  # proven bound so far
    message: str  # what the search is doing, in words
    # ``solution()`` makes the best solution so far, while the report is handled; not yet verified. For the caller of
    # `generalize` it is a `Generalization`, within an algorithm an `Outcome`. None if there is none to show
    solution: Callable[[], Any] | None = None


ProgressCallback = Callable[[Progress], object]


@dataclass
class Run:
    """The surroundings of one run."""

    seed: int = 0  # the only source of randomness; `generator` makes a fresh generator from it
    time_limit: float | None = None  # seconds after which the run must return its best result
    progress: ProgressCallback | None = None  # called with a `Progress`; returns False to stop with the best so far
    stopped: bool = field(default=False, init=False)
    _start: float = field(default_factory=time.perf_counter, init=False)

    def generator(self) -> np.random.Generator:
        """A generator that yields the same numbers in every run with this seed."""
        return np.random.default_rng(self.seed)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def part(self, begin: float, end: float, time_limit: float | None = None) -> Run:
        """The surroundings of a part of the work: its progress of 0 to 1 is begin to end of the whole.

        It ends with the whole, and after its own time limit in seconds.
        """

        def heard(report: Progress) -> bool:
            done = begin + (end - begin) * report.done
            return self.goes_on(done, report.best, report.lower_bound, report.message, report.solution)

        return Run(self.seed, time_limit, heard)

    def goes_on(
        self,
        done: float,
        best: Cost | None,
        lower_bound: Cost | None,
        message: str,
        solution: Callable[[], Any] | None = None,
    ) -> bool:
        """Report and ask whether to continue; False once the time is up or the listener said stop."""
        if self.progress is not None and self.progress(Progress(done, best, lower_bound, message, solution)) is False:
            self.stopped = True
        if self.time_limit is not None and self.seconds >= self.time_limit:
            self.stopped = True
        return not self.stopped


@dataclass(frozen=True)
class Outcome:
    """An algorithm's output, before it is weighed, verified and wrapped."""

    assignment: np.ndarray  # (n,) int: class of each item, 0 … m-1
    details: object  # the family's record
    guarantee: Cost | None  # proven ceiling on the cost of this run
    # a proven lower bound, the family's own or a better one; None if the algorithm did not compute one
    bound: Bound | None = None
    cost: Cost | None = None  # the cost, if it is not the weight of the largest class
