"""Exact cover: choose sets so that every element is in exactly one of them."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_engine.search.cp_sat import solved, solver_for


def exact_cover(
    count: int, sets: Sequence[Sequence[int]], costs: Sequence[int] = (), budget: int = 0
) -> list[int] | None:
    """Positions of sets that hold each of the elements 0 … count - 1 once; None where there are none.

    With `costs`, whole numbers >= 0 of the sets, those of the chosen ones add up to at most `budget`.

    Complexity
    ----------
    Exponential; by CP-SAT.

    Example
    -------
    >>> exact_cover(4, [(0, 1), (1, 2), (2, 3), (0, 3, 1)])
    [0, 2]
    >>> exact_cover(3, [(0, 1), (1, 2)]) is None
    True
    >>> exact_cover(2, [(0,), (1,), (0, 1)], costs=(1, 1, 1), budget=1)
    [2]
    """
    from ortools.sat.python import cp_model

    holding: list[list[int]] = [[] for _ in range(count)]
    for number, members in enumerate(sets):
        for element in members:
            holding[element].append(number)
    if not all(holding):
        return None
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in sets]
    for numbers in holding:
        model.add_exactly_one(chosen[number] for number in numbers)
    if len(costs):
        model.add(sum(cost * variable for cost, variable in zip(costs, chosen, strict=True) if cost) <= budget)
    solver = solver_for(seed=0)
    if solved(solver, model, lambda: True) == "impossible":
        return None
    return [number for number, variable in enumerate(chosen) if solver.boolean_value(variable)]
