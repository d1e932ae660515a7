"""OR-Tools CP-SAT as every search here uses it: one worker, seeded, and stopped together with the run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing it takes long, and few runs need it
    from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback

LARGEST_SUM = 1 << 60  # of an objective, in the solver's whole numbers
POLL = 0.1  # seconds between two questions whether to go on


def solver_for(seed: int, effort: float | None = None) -> CpSolver:
    """A solver with one worker, so that its answer depends on the model, the seed and the effort alone.

    Parameters
    ----------
    seed : int
    effort : float, optional
        The most deterministic time, in CP-SAT's own unit, the same on every machine; None is no limit.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed % (1 << 30)
    if effort is not None:
        solver.parameters.max_deterministic_time = effort
    return solver


def solved(
    solver: CpSolver, model: CpModel, goes_on: Callable[[], bool], callback: CpSolverSolutionCallback | None = None
) -> str:
    """Solve in a thread of its own, so that the run can be watched and stopped meanwhile.

    Parameters
    ----------
    solver, model
    goes_on : callable
        Asked every tenth of a second; the search ends once it says False, or raises.
    callback : optional
        Called with every solution.

    Returns
    -------
    str
        "impossible" (proven), "found" (the solver holds a solution: the best one, or the best so far) or "open".

    Example
    -------
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
