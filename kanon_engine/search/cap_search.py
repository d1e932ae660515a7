"""The least cap under which there is a solution, by questions to a solver that may leave some of them open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from kanon_engine.model.run import Run

FIRST_EFFORT = 0.25  # for the first questions; four times as much in every further round

Solution = TypeVar("Solution")


class CapSearch:
    """Questions whether there is a solution with no class above a cap, with what is left of the effort.

    Parameters
    ----------
    run : Run
    low : int
        A proven lower bound; the answers raise it.
    budget : float
        The effort of all questions together, in CP-SAT's deterministic time; with a time limit that counts instead.
    message : str
        What the search is doing, for its reports.
    begun : float
        The part of the run's work that was done before.

    Attributes
    ----------
    left : float
        What is left of the effort.
    """

    def __init__(self, run: Run, low: int, budget: float, message: str, begun: float = 0.5) -> None:
        self.run = run
        self.low = low
        self.left = budget if run.time_limit is None else float("inf")
        self._budget, self._message, self._begun = budget, message, begun

    def narrow(
        self,
        known: Solution,
        largest: Callable[[Solution], int],
        ask: Callable[[int, float, Callable[..., bool]], tuple[str, Solution | None, float]],
    ) -> Solution:
        """A solution that is no worse, as good as `low` where the effort suffices; raises `low`.

        Caps are halved between the bound and the best solution; one whose question stays open is left for the next
        round, with more effort.

        Parameters
        ----------
        known
            A solution to begin with.
        largest : callable
            The largest class of a solution.
        ask : callable
            ``ask(cap, effort, goes_on)`` returns a verdict, the solution that was found, and the effort that it took.
            The verdict "impossible" proves that there is none, "too large" says that nothing was asked, which no effort
            will change; `goes_on` may be given the effort that this question has taken so far.
        """
        best, effort, asked = largest(known), FIRST_EFFORT, True
        while asked and self.low < best and self.goes_on(best):
            asked = False
            high = cap = best - 1  # caps above `high` are left for the next round
            while self.low <= high and self.goes_on(best):
                verdict, found, spent = ask(cap, min(effort, self.left), partial(self.goes_on, best))
                asked |= verdict != "too large"
                self.left -= max(spent, self._budget / 1000)
                if found is not None:
                    known, best = found, largest(found)
                    high = best - 1
                elif verdict == "impossible":
                    self.low = cap + 1
                else:
                    high = cap - 1
                cap = (self.low + high) // 2
            effort *= 4
        return known

    def goes_on(self, best: int, spent: float = 0.0) -> bool:
        """Report; False once the effort is used up or the run is stopped."""
        if self.run.time_limit is None:
            done = 1 - (self.left - spent) / self._budget
        else:
            done = self.run.seconds / self.run.time_limit
        done = self._begun + (1 - self._begun) * min(done, 1.0)
        return self.left > 0 and self.run.goes_on(done, best, self.low, self._message)
