"""Settings of variables are clusters of radius 1, to and fro."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.classes import members_of
from kanon_engine.reductions.decided import decided
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.problems.satisfiability import Formula


def forth(source: Formula, carried: Carried, solution: tuple[bool, ...]) -> np.ndarray:
    """A class for each variable, with the clauses whose first true literal is its."""
    size = (len(carried.instance) - len(source.clauses)) // source.variables
    owners = [
        next(abs(literal) - 1 for literal in clause if solution[abs(literal) - 1] == (literal > 0))
        for clause in source.clauses
    ]
    return np.array([*np.repeat(np.arange(source.variables), size), *owners], dtype=np.int32)


def back(source: Formula, carried: Carried, assignment: np.ndarray) -> tuple[bool, ...]:
    """A variable is true where the class of its others lies within 1 of its point for true."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    within = carried.instance.between(np.arange(len(carried.instance))) <= carried.threshold
    values = [gadget.items for gadget in carried.gadgets if gadget.kind == "value"]
    others = [gadget.items for gadget in carried.gadgets if gadget.kind == "other"]
    owners = assignment[[own[0] for own in others]]
    return tuple(
        bool(within[true, assignment == owner].all()) for (true, _), owner in zip(values, owners.tolist(), strict=True)
    )


def decide(carried: Carried) -> np.ndarray | None:
    """Classes of at least k points within the threshold of a point, or None; by the exact algorithm for clusters."""
    return decided(carried, "exact", cost="radius", centers="input")


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Which class is too small or too wide, with one of its points; "" where the classes meet k and the threshold."""
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"A point of {carried.gadget_of(int(loose[0])).name} is in no class."
    apart = carried.instance.between(np.arange(len(carried.instance)))
    for members in members_of(assignment):
        of = carried.gadget_of(int(members[0])).name if len(members) else "no gadget"
        if len(members) < carried.k:
            return f"The class with a point of {of} has {len(members)} points, below k = {carried.k}."
        radius = float(apart[:, members].max(axis=1).min())
        if radius > carried.threshold:
            return f"The class with a point of {of} has a radius of {radius:g}, above {carried.threshold:g}."
    return ""
