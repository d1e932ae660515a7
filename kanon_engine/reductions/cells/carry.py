"""Covers are cheap cellular clusterings, to and fro."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.classes import members_of
from kanon_engine.reductions.cells.build import WithCosts
from kanon_engine.reductions.problems.set_cover import Sets
from kanon_engine.search.cp_sat import solved, solver_for


def forth(source: Sets, carried: WithCosts, solution: tuple[int, ...]) -> np.ndarray:
    """A class for each chosen set: itself and its elements that none before holds; other sets are with the first."""
    chosen = sorted(set(solution))
    owners = [chosen.index(number) if number in chosen else 0 for number in range(len(source.sets))]
    owners += [next(place for place, one in enumerate(chosen) if e in source.sets[one]) for e in range(source.size)]
    return np.array(owners, dtype=np.int32)


def back(source: Sets, carried: WithCosts, assignment: np.ndarray) -> tuple[int, ...]:
    """The centers of all clusters but sets by themselves, and for each element that they do not hold a set that does.

    They are at most t: an element outside its center's set lies at distance 2, and pays one more for that.
    """
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    sets = len(source.sets)
    cover: set[int] = set()
    for members in members_of(assignment):
        center, _ = _center(carried, members)
        if len(members) > 1 or members[0] != center:
            cover.add(center)
    for element in range(source.size):
        holding = [number for number in range(sets) if element in source.sets[number]]
        if not cover & set(holding):
            cover.add(holding[0])
    return tuple(sorted(cover))


def decide(carried: WithCosts) -> np.ndarray | None:
    """Classes whose cost is at most the threshold, or None; clusters are chosen by CP-SAT, the program of section 3."""
    from ortools.sat.python import cp_model

    apart = _apart(carried)
    count = len(apart)
    balls = [
        (center, radius)
        for center in range(count)
        for radius in np.unique(apart[center]).tolist()
        if carried.opening[center] <= carried.threshold
    ]
    model = cp_model.CpModel()
    opened = [model.new_bool_var("") for _ in balls]
    within = {
        (point, number): model.new_bool_var("")
        for number, (center, radius) in enumerate(balls)
        for point in range(count)
        if apart[center, point] <= radius
    }
    for point in range(count):
        model.add_exactly_one(held for (own, _), held in within.items() if own == point)
    for number, ball in enumerate(opened):
        inside = [one for (_, own), one in within.items() if own == number]
        model.add(sum(inside) >= carried.k * ball)
        model.add(sum(inside) <= count * ball)
    paid = sum(int(balls[number][1]) * held for (_, number), held in within.items())
    built = sum(carried.opening[center] * ball for (center, _), ball in zip(balls, opened, strict=True))
    model.add(paid + built <= int(carried.threshold))
    solver = solver_for(seed=0)
    if solved(solver, model, lambda: True) != "found":
        return None
    owners = np.empty(count, dtype=np.int32)
    for (point, number), held in within.items():
        if solver.boolean_value(held):
            owners[point] = number
    return np.unique(owners, return_inverse=True)[1].astype(np.int32)


def fault(carried: WithCosts, assignment: np.ndarray) -> str:
    """Which class is too small, or that all cost too much; "" where the classes meet k and the threshold."""
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"{carried.gadget_of(int(loose[0])).name} is in no class."
    costs = []
    for members in members_of(assignment):
        if len(members) < carried.k:
            return f"A class has {len(members)} points, below k = {carried.k}."
        costs.append(_center(carried, members)[1])
    if sum(costs) > carried.threshold:
        worst = members_of(assignment)[int(np.argmax(costs))]
        return (
            f"The classes cost {sum(costs)}, above {carried.threshold:g}; the one of "
            f"{carried.gadget_of(int(worst[0])).name} costs {max(costs)}."
        )
    return ""


def _apart(carried: WithCosts) -> np.ndarray:
    """(n, n) int64: the distances."""
    return carried.instance.between(np.arange(len(carried.instance))).astype(np.int64)


def _center(carried: WithCosts, members: np.ndarray) -> tuple[int, int]:
    """The cheapest center of a class, the first of equally cheap ones, and what the class costs around it."""
    costs = np.array(carried.opening) + len(members) * _apart(carried)[:, members].max(axis=1)
    return int(costs.argmin()), int(costs.min())
