"""Partitions made of listed classes: where classes are so small that all connected sets can be listed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.regions.partitions.kernels import Limits, connected_sets
from kanon_engine.regions.partitions.model import Part
from kanon_engine.search.cp_sat import solved, solver_for

STEPS = 1_000_000  # connected sets up to the cap that are looked at
MOST = 40_000  # possible classes, above which they are not handed to the solver


def possible_classes(part: Part, cap: int) -> list[np.ndarray] | None:
    """All classes that the part may have, of weight k to the cap; None where there are too many connected sets.

    Where there were too many for a cap, a cap less than a tenth below is not tried.
    """
    if cap * 10 > part.too_many * 9:
        return None
    members, ends, complete = connected_sets(part.graph, np.array(part.rank), Limits(part.k, cap, STEPS))
    if not complete or len(ends) > MOST:
        part.too_many = cap
        return None
    found = np.split(members, ends[:-1]) if len(ends) else []
    return [own for own in found if part.rules.admits(own)]


def partition_of(
    part: Part, classes: list[np.ndarray], squares: bool, effort: float, seed: int, goes_on: Callable[[], bool]
) -> tuple[str, np.ndarray | None, float]:
    """Cover every vertex by exactly one of the classes.

    Parameters
    ----------
    part : Part
    classes : list of int arrays
    squares : bool
        Whether the sum of squared class weights is minimised; else any partition will do.
    effort
        As in `model.classes_up_to`.
    seed : int
    goes_on : callable
        Whether to go on.

    Returns
    -------
    verdict : str
        "impossible", "found", or "open"; for squares, "found" is said of the best partition found so far.
    labels : (n,) int array or None
    spent : float
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in classes]
    covers: list[list[int]] = [[] for _ in part.weights]
    for number, members in enumerate(classes):
        for v in members.tolist():
            covers[v].append(number)
    if not all(covers):
        return "impossible", None, 0.0
    for numbers in covers:
        model.add_exactly_one(chosen[number] for number in numbers)
    if squares:
        loads = [int(part.weights[members].sum()) for members in classes]
        model.minimize(sum(load * load * x for load, x in zip(loads, chosen, strict=True)))
    solver = solver_for(seed, effort)
    verdict = solved(solver, model, goes_on)
    if verdict != "found":
        return verdict, None, solver.deterministic_time
    labels = np.empty(len(part.weights), dtype=np.int64)
    for number, members in enumerate(classes):
        if solver.boolean_value(chosen[number]):
            labels[members] = number
    return "found", labels, solver.deterministic_time
