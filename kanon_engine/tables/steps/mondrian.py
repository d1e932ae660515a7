"""Mondrian's cuts, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.tables.boxes.problem import problem_of
from kanon_engine.tables.instance import Table
from kanon_engine.tables.mondrian import Cut, cuts
from kanon_engine.tables.steps.moves import Move, shown, steps_of
from kanon_engine.tables.steps.numbers import numbered
from kanon_engine.tables.steps.states import BoxState, Part
from kanon_engine.tables.words import interval_words


def mondrian_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The whole table, then each part with its cut, or why it stays a class.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> for step in mondrian_steps(table, kanon.generalize(table, 2, "mondrian")):
    ...     print(step.state.assignment, step.text)
    [0 0 0 0 0] All 5 records are one group.
    [0 0 0 1 1] The group of 5 is widest in age, so age is cut at its median: 3 and 2 records. smaller side ≥ k: 2 ≥ 2.
    [0 0 0 1 1] The group of 2 stays one: a cut would leave fewer than 2 on a side. records < 2 k: 2 < 4.
    [0 0 0 1 1] The group of 3 stays one: a cut would leave fewer than 2 on a side. records < 2 k: 3 < 4.
    """
    yield from steps_of(_told(table, g))


def _told(table: Table, g: Generalization) -> Iterator[tuple[BoxState, Move, int]]:
    run = list(_cuts(table, g))
    group = np.zeros(len(table), dtype=np.int64)
    parts = [_part(table, np.arange(len(table)), -1)]
    start = BoxState(numbered(group, g.assignment), tuple(parts), -1, 0)
    yield start, Move(f"All {table.total:,} {table.unit} are one group."), 1
    open_parts, place = [0], 0
    for count in shown(len(run), len(table)):
        for _ in range(count):
            cut = run[place][1]
            at = open_parts.pop()
            move = _move(table, g, parts[at], cut, [int(table.weights[side].sum()) for side in cut.sides])
            if cut.sides:
                parts[at] = replace(parts[at], column=cut.column)
                for side in cut.sides:
                    open_parts.append(len(parts))
                    group[side] = len(parts)
                    parts.append(_part(table, side, at))
            else:
                parts[at] = replace(parts[at], closed=True)
            place += 1
        after = open_parts[-1] if open_parts else -1
        yield BoxState(numbered(group, g.assignment), tuple(parts), at, after), move, count
    if not np.array_equal(numbered(group, g.assignment), g.assignment):
        leaves = sum(part.closed for part in parts)
        together = f"Groups that show the same are one: {leaves:,} become {g.classes:,}."
        yield BoxState(g.assignment, tuple(parts)), Move(together), 1


def _cuts(table: Table, g: Generalization) -> Iterator[tuple[np.ndarray, Cut]]:
    """The records of each part, and its cut with the records of each side."""
    options: Any = g.options
    problem = problem_of(table, g.k, options["metric"], options["weights"], g.require)  # type: ignore[arg-type]
    tuples = table.tuples[2]
    if options["relaxed"]:
        yield from cuts(problem, problem.codes[tuples], table.weights)
        return
    order = np.argsort(tuples, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(tuples)))

    def records(items: np.ndarray) -> np.ndarray:
        return np.concatenate([order[starts[item] : starts[item + 1]] for item in items.tolist()])

    for part, cut in cuts(problem, problem.codes, None):
        yield records(part), cut._replace(sides=[records(side) for side in cut.sides])


def _part(table: Table, records: np.ndarray, parent: int) -> Part:
    codes = table.codes[records]
    return Part(parent, codes.min(axis=0), codes.max(axis=0), records, int(table.weights[records].sum()))


def _move(table: Table, g: Generalization, part: Part, cut: Cut, sizes: list[int]) -> Move:
    names = table.quasi_identifiers
    what, k = f"The group of {part.size:,}", g.k
    if cut.sides:
        column = names[cut.column]
        passed = " and ".join(names[other] for other, _ in cut.refused)
        wide = (
            f"is wider in {passed}, which allows no cut, and next in {column}" if passed else f"is widest in {column}"
        )
        where = "its hierarchy" if table.tree(column) is not None else "its median"
        told = " and ".join(f"{size:,}" for size in sizes)
        why = f"{what} {wide}, so {column} is cut at {where}: {told} {table.unit}."
        prompt = f"{what} ({_extent(table, part)}) is next. Which is the first of its widest columns that allows a cut?"
        asked = Question(prompt, tuple(names), (cut.column,))
        return Move(why, Inequality(min(sizes), "≥", k, "smaller side ≥ k"), asked if len(names) > 1 else None)
    if part.size < 2 * k:
        why = f"{what} stays one: a cut would leave fewer than {k:,} on a side."
        return Move(why, Inequality(part.size, "<", 2 * k, "records < 2 k"))
    where = "median or hierarchy" if any(table.tree(name) is not None for name in names) else "median"
    prompt = f"{what} ({_extent(table, part)}) is next. Does the {where} of any column allow a cut?"
    asked = Question(prompt, NO_YES, (0,))
    if not cut.refused:
        return Move(f"{what} stays one: all its {table.unit} are equal.", None, asked)
    nearest, most = max(cut.refused, key=lambda one: one[1])
    if most >= k:
        return Move(f"{what} stays one: after every cut of {k:,} or more a side fails what is required.", None, asked)
    why = f"{what} stays one: the {where} of no column leaves {k:,} on every side; {names[nearest]} comes nearest."
    return Move(why, Inequality(most, "<", k, f"smaller side of {names[nearest]} < k"), asked)


def _extent(table: Table, part: Part) -> str:
    """What the part spans in each column."""
    parts = []
    for name, domain, low, high in zip(
        table.quasi_identifiers, table.domains, part.low.tolist(), part.high.tolist(), strict=True
    ):
        parts.append(f"{name} {interval_words(domain[low : high + 1], (low, high) == (0, len(domain) - 1))}")
    return ", ".join(parts)
