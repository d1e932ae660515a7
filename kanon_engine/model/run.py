"""What an algorithm is given besides its instance: randomness, a clock and someone to report to."""

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

    done: float  # share of the work that is done, 0 to 1
    best: Cost | None  # cost of the best solution so far
    lower_bound: Cost | None  # proven bound so far
    message: str  # what the search is doing, in words
    # ``solution()`` makes the best solution so far, while the report is heard; not yet verified. To who called
    # `generalize` it is a `Generalization`, within an algorithm an `Outcome`. None where there is none to show
    solution: Callable[[], Any] | None = None


ProgressCallback = Callable[[Progress], object]


@dataclass
class Run:
    """The surroundings of one run."""

    seed: int = 0  # the only source of randomness; `generator` makes a fresh generator from it
    time_limit: float | None = None  # seconds after which the run shall return the best it has
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
        """The surroundings of a part of the work: what it reports as 0 to 1 is begin to end of the whole.

        It ends with the whole, and after the seconds of a time limit of its own.
        """

        def heard(said: Progress) -> bool:
            done = begin + (end - begin) * said.done
            return self.goes_on(done, said.best, said.lower_bound, said.message, said.solution)

        return Run(self.seed, time_limit, heard)

    def goes_on(
        self,
        done: float,
        best: Cost | None,
        lower_bound: Cost | None,
        message: str,
        solution: Callable[[], Any] | None = None,
    ) -> bool:
        """Report and ask whether to go on; False once the time is over or the listener said stop."""
        if self.progress is not None and self.progress(Progress(done, best, lower_bound, message, solution)) is False:
            self.stopped = True
        if self.time_limit is not None and self.seconds >= self.time_limit:
            self.stopped = True
        return not self.stopped


@dataclass(frozen=True)
class Outcome:
    """What an algorithm returns, before it is weighed, verified and wrapped."""

    assignment: np.ndarray  # (n,) int: class of each item, 0 … m-1
    details: object  # the family's record
    guarantee: Cost | None  # proven ceiling on the cost of this run
    # a proven lower bound, the family's own or a better one; None where the algorithm did not work it out
    bound: Bound | None = None
    cost: Cost | None = None  # the cost, where it is not the weight of the largest class
