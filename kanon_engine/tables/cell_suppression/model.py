"""Open and closed patterns with attached records as one integer program, for CP-SAT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.search.solvers import solved, solver_for
from kanon_engine.tables.cell_suppression.attachments import Attachments
from kanon_engine.tables.cell_suppression.patterns import Patterns

EFFORT = 5.0  # CP-SAT's deterministic time without a time limit; a minute or less


@dataclass(frozen=True)
class Answer:
    """What the search found.

    Attributes
    ----------
    counts : (a,) int64 array
        Copies at each attachment.
    bound : int
        No solution suppresses fewer cells; as the search proved it.
    nodes : int
        Branches of the search, and its root.
    """

    counts: np.ndarray
    bound: int
    nodes: int


def useful(patterns: Patterns, k: int, slack: int) -> np.ndarray:
    """How many copies an attachment can hold in a solution that is not worse than a known one.

    A record pays an extra above its floor. All extras together are at most `slack`, the known cost less all floors. So
    an attachment of extra e > 0 holds at most slack / e copies, those of a row that stays whole all or none, and a
    pattern is never open whose k cheapest records pay more than that.

    Parameters
    ----------
    patterns : Patterns
    k : int
    slack : int

    Returns
    -------
    (a,) int64 array
        0 where the attachment can be left out.
    """
    sizes = patterns.sizes[patterns.members]
    extra = patterns.costs[patterns.owners] - patterns.floors[patterns.members]
    most = np.where(extra > 0, np.minimum(sizes, slack // np.maximum(extra, 1)), sizes)
    if patterns.whole:
        most = np.where(most < sizes, 0, most)
    order = np.lexsort((extra, patterns.owners))
    held, begins = most[order], patterns.start[:-1]
    total = np.cumsum(held)
    before = total - held - np.repeat(total[begins] - held[begins], np.diff(patterns.start))
    needed = np.clip(k - before, 0, held)
    least = np.add.reduceat(needed * extra[order], begins)
    enough = np.add.reduceat(needed, begins) == k
    return np.where((enough & (least <= slack))[patterns.owners], most, 0)


def search(patterns: Patterns, k: int, known: Attachments, most: np.ndarray, run: Run) -> Answer:
    """The least number of suppressed cells, or the best found and a bound when the effort or the time is over.

    Minimize the extra above the floors, sum of extra(p, t) x(p, t), where x(p, t) copies of tuple t are attached to
    pattern p, every copy to one pattern; where p is open, at least k; where it is closed, none: x(p, t) is at most
    open(p) times the most that it can hold. Of a row that stays whole x(p, t) is all of it or 0.

    Parameters
    ----------
    patterns : Patterns
        Complete.
    k : int
    known : Attachments
        The search begins with these.
    most : (a,) int64 array
        From `useful`.
    run : Run

    Returns
    -------
    Answer

    References
    ----------
    Chakaravarthy, Pandit, Sabharwal, section 4, with the choice of the open patterns as variables of the program.
    """
    from ortools.sat.python import cp_model

    places = np.flatnonzero(most)
    owners, members, limits = patterns.owners[places], patterns.members[places], most[places].tolist()
    extra = (patterns.costs[owners] - patterns.floors[members]).tolist()
    floor = int((patterns.floors * patterns.sizes).sum())
    hints = known.counts()[places].tolist()
    model = cp_model.CpModel()
    opened = {p: model.new_bool_var("") for p in np.unique(owners).tolist()}
    of_pattern: dict[int, list[Any]] = {p: [] for p in opened}
    of_item: dict[int, list[Any]] = {item: [] for item in range(len(patterns.sizes))}
    variables: list[Any] = []
    for owner, item, limit, hint in zip(owners.tolist(), members.tolist(), limits, hints, strict=True):
        if patterns.whole:
            here = model.new_bool_var("")
            model.add_implication(here, opened[owner])
            model.add_hint(here, hint > 0)
            x = limit * here
        else:
            x = model.new_int_var(0, limit, "")
            model.add(x <= limit * opened[owner])
            model.add_hint(x, hint)
        of_pattern[owner].append(x)
        of_item[item].append(x)
        variables.append(x)
    for p, attached in of_pattern.items():
        model.add(sum(attached) >= k * opened[p])
        model.add_hint(opened[p], bool(known.load[p]))
    for item, attached in of_item.items():
        model.add(sum(attached) == int(patterns.sizes[item]))
    model.minimize(sum(cost * x for cost, x in zip(extra, variables, strict=True) if cost))

    solver = solver_for(run.seed, EFFORT if run.time_limit is None else None)
    solver.parameters.linearization_level = 2
    verdict = _watched(solver, model, known.cost, floor, run)
    counts = np.zeros(len(most), dtype=np.int64)
    if verdict != "found":
        return Answer(known.counts(), floor, int(solver.num_branches) + 1)
    counts[places] = [solver.value(x) for x in variables]
    bound = floor + round(solver.best_objective_bound)  # the objective is whole, so CP-SAT's bound is too
    return Answer(counts, bound, int(solver.num_branches) + 1)


def _watched(solver: Any, model: Any, cost: int, floor: int, run: Run) -> str:
    """Solve, and report best and bound as they come."""
    from ortools.sat.python import cp_model

    found = {"best": cost, "bound": floor}

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found["best"] = min(found["best"], floor + round(self.objective_value))

    def listen(value: float) -> None:
        found["bound"] = max(found["bound"], floor + round(value))

    def goes_on() -> bool:
        done = 0.0 if run.time_limit is None else min(run.seconds / run.time_limit, 1.0)
        return run.goes_on(done, found["best"], found["bound"], "proving how few cells are enough")

    solver.best_bound_callback = listen
    return solved(solver, model, goes_on, Listener())
