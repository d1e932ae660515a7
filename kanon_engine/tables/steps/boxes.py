"""Groups as boxes: the cuts that make them, where cuts from side to side do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Inequality, Question
from kanon_engine.tables.instance import Table
from kanon_engine.tables.steps.moves import Move
from kanon_engine.tables.steps.numbers import numbered
from kanon_engine.tables.steps.states import BoxState, Part

MOST_DRAWN = 150  # groups of which the cuts are sought
MOST_TOLD = 30  # groups whose cuts are told one by one


def box_state(table: Table, assignment: np.ndarray) -> BoxState:
    """Groups with cuts that make them, the most even first; a part that no cut divides holds its groups as they are.

    Of more than `MOST_DRAWN` groups no parts are told.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"x": [1, 2, 3, 3, 1], "y": [1, 1, 2, 3, 3]}), ["x", "y"])
    >>> state = box_state(table, np.array([0, 0, 1, 1, 0]))
    >>> [(part.size, part.column) for part in state.parts]
    [(5, 0), (3, -1), (2, -1)]
    """
    order = np.argsort(assignment, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(assignment[order])) + 1)
    if len(members) > MOST_DRAWN:
        return BoxState(assignment, ())
    return BoxState(assignment, tuple(_parts(table, members)))


def cut_by_cut(table: Table, g: Generalization, assignment: np.ndarray) -> Iterator[tuple[BoxState, Move]]:
    """The cuts that make these groups, one by one from the whole table down; nothing where there are many groups."""
    parts = box_state(table, assignment).parts
    if not 0 < sum(part.closed for part in parts) <= MOST_TOLD:
        return
    group, names = np.zeros(len(table), dtype=np.int64), numbered(assignment, g.assignment)
    there = [parts[0]]
    number = {0: 0}  # of each part among those that are there
    for place, part in enumerate(parts):
        if part.closed:
            continue
        sides = [other for other, side in enumerate(parts) if side.parent == place]
        for other in sides:
            group[parts[other].records] = number[other] = len(there)
            there.append(replace(parts[other], parent=number[place], column=-1, closed=parts[other].closed))
        there[number[place]] = replace(there[number[place]], column=part.column)
        yield (
            BoxState(numbered(group, names), tuple(there), number[place]),
            _cut_move(table, g, part, [parts[other].size for other in sides]),
        )


def _cut_move(table: Table, g: Generalization, part: Part, sizes: list[int]) -> Move:
    listed = " and ".join(f"{size:,}" for size in sizes)
    asked = None
    if g.options["metric"] == "DM":
        cost = sum(size**2 for size in sizes)
        prompt = f"A part of {part.size:,} is cut into {listed}. What would these cost as groups, by their squares?"
        asked = Question(prompt, (), (cost,), 0, part.size**2)
    decided = Inequality(min(sizes), "≥", g.k, "smallest side ≥ k")
    if part.column < 0:
        why = f"No cut from side to side makes what the part of {part.size:,} becomes: groups of {listed}."
    else:
        name = table.quasi_identifiers[part.column]
        why = f"The part of {part.size:,} is cut in {name}: {listed} {table.unit}."
    return Move(why, decided, asked)


def _parts(table: Table, members: list[np.ndarray]) -> Iterator[Part]:
    low = np.array([table.codes[own].min(axis=0) for own in members])
    high = np.array([table.codes[own].max(axis=0) for own in members])
    sizes = np.array([int(table.weights[own].sum()) for own in members])
    waiting, made = [(-1, np.arange(len(members)))], 0
    while waiting:
        parent, inside = waiting.pop()
        column, left = _cut(low[inside], high[inside], sizes[inside])
        records = np.sort(np.concatenate([members[place] for place in inside.tolist()]))
        closed = len(inside) == 1
        size = int(sizes[inside].sum())
        yield Part(parent, low[inside].min(axis=0), high[inside].max(axis=0), records, size, column, closed)
        if column >= 0:
            waiting += [(made, inside[~left]), (made, inside[left])]
        elif not closed:
            waiting += [(made, inside[[place]]) for place in range(len(inside))]
        made += 1


def _cut(low: np.ndarray, high: np.ndarray, sizes: np.ndarray) -> tuple[int, np.ndarray]:
    """The column of the most even cut that no box lies across, and which boxes are below it; -1 for none."""
    best, column, below = sizes.sum() + 1, -1, np.zeros(len(low), dtype=bool)
    for place in range(low.shape[1]):
        for position in np.unique(low[:, place])[1:].tolist():
            left = high[:, place] < position
            if (left | (low[:, place] >= position)).all():
                uneven = abs(int(sizes[left].sum()) - int(sizes[~left].sum()))
                if uneven < best:
                    best, column, below = uneven, place, left
    return column, below
