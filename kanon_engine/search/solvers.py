"""OR-Tools CP-SAT as all searches use it: one worker, seeded, and stopped together with the run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from kanon_engine.model.run import Run

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback


LARGEST_SUM = 1 << 60  # limit of an objective, in the solver's whole numbers
POLL = 0.1  # seconds between two checks whether to continue


def solver_for(seed: int, effort: float | None = None) -> CpSolver:
    """A solver with one worker, so that its answer depends only on the model, the seed and the effort.

    `effort`: the most deterministic time, in CP-SAT's own unit, the same on every machine; None is no limit.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # a seed of the solver has 31 bits, one of a run up to 128
    solver.parameters.random_seed = seed % (1 << 30)
    if effort is not None:
        solver.parameters.max_deterministic_time = effort
    return solver


def solved(
    solver: CpSolver, model: CpModel, goes_on: Callable[[], bool], callback: CpSolverSolutionCallback | None = None
) -> str:
    """Solve in a separate thread, so that the run can be watched and stopped meanwhile.

    Parameters
    ----------
    goes_on : Called every tenth of a second; the search ends once it returns False, or raises.
    callback : Called with every solution.

    Returns: "impossible" (proven), "found" (the solver holds a solution: the best one, or the best so far) or "open".

    >>> from ortools.sat.python import cp_model
    >>> model = cp_model.CpModel()
    >>> x = model.new_int_var(0, 9, "x")
    >>> model.maximize(x)
    >>> solver = solver_for(seed=0)
    >>> solved(solver, model, lambda: True), solver.value(x)
    ('found', 9)
    """
    from ortools.sat.python import cp_model

    with ThreadPoolExecutor(1) as pool:
        status = pool.submit(solver.solve, model, callback)
        try:
            while wait([status], POLL).not_done:
                if not goes_on():
                    solver.stop_search()
        finally:
            solver.stop_search()
    words = {cp_model.INFEASIBLE: "impossible", cp_model.OPTIMAL: "found", cp_model.FEASIBLE: "found"}
    return words.get(status.result(), "open")


FIRST_EFFORT = 0.25  # for the first questions; four times as much in each later round

Solution = TypeVar("Solution")


class CapSearch:
    """Asks whether there is a solution with no class above a cap, with the remaining effort.

    Parameters
    ----------
    low : A proven lower bound; the answers raise it.
    budget : float
        The effort of all questions together, in CP-SAT's deterministic time; a time limit replaces it.
    message : What the search is doing, for its reports.
    begun : The share of the run's work that was done before.
    """

    def __init__(self, run: Run, low: int, budget: float, message: str, start: float = 0.5) -> None:
        self.run = run
        self.low = low
        self.left = budget if run.time_limit is None else float("inf")  # of the effort
        self._budget, self._message, self._begun = budget, message, start

    def narrow(
        self,
        solution: Solution,
        largest: Callable[[Solution], int],
        ask: Callable[[int, float, Callable[..., bool]], tuple[str, Solution | None, float]],
    ) -> Solution:
        """A solution that is no worse, and as good as `low` if the effort suffices; raises `low`.

        Caps are bisected between the bound and the best solution; a question that stays open is left for the next
        round, with more effort.

        Parameters
        ----------
        known : A solution to start with.
        largest : The largest class of a solution.
        ask : callable
            ``ask(cap, effort, goes_on)`` returns a verdict, the solution that was found, and the effort that it took.
            The verdict "impossible" proves that there is none; "too large" says that nothing was asked, which no effort
            will change. `goes_on` may get the effort that this question has taken so far.
        """
        best, effort, is_open = largest(solution), FIRST_EFFORT, True
        while is_open and self.low < best and self.goes_on(best):
            is_open = False
            high = cap = best - 1  # caps above `high` are left for the next round
            while self.low <= high and self.goes_on(best):
                verdict, better, spent = ask(cap, min(effort, self.left), partial(self.goes_on, best))
                is_open |= verdict != "too large"
                self.left -= max(spent, self._budget / 1000)
                if better is not None:
                    solution, best = better, largest(better)
                    high = best - 1
                elif verdict == "impossible":
                    self.low = cap + 1
                else:
                    high = cap - 1
                cap = (self.low + high) // 2
            effort *= 4
        return solution

    def goes_on(self, best: int, spent: float = 0.0) -> bool:
        """Report; False once the effort is used up or the run is stopped."""
        if self.run.time_limit is None:
            done = 1 - (self.left - spent) / self._budget
        else:
            done = self.run.seconds / self.run.time_limit
        done = self._begun + (1 - self._begun) * min(done, 1.0)
        return self.left > 0 and self.run.goes_on(done, best, self.low, self._message)
