"""What follows from the fact alone that each class shows as little as holds its records.

The names are those of docs/proofs/release/downcoding.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.tables.boxes.ends import step_limits
from kanon_engine.tables.cuts.finest import with_free_cuts
from kanon_engine.tables.cuts.problem import heads_in
from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails, Table
from kanon_engine.tables.shown_ranges import shown_ranges
from kanon_engine.tables.tree import Tree


@dataclass(frozen=True)
class Certain:
    """At least so many records of a class have a value in a part of what the class shows.

    Attributes
    ----------
    group : int
        The class.
    column : int
        The quasi-identifier.
    low, high : int
        First and last position of the part in the domain.
    records : int
    """

    group: int
    column: int
    low: int
    high: int
    records: int


def tight(table: Table, g: Generalization) -> list[Certain]:
    """Parts of what classes show in which at least one record has its value (Theorem 1).

    Of a star or a node with two children both; of a range with a person's order, or of words, both ends; of a range of
    numbers the round steps at both ends. Of cuts that are the same for all classes, where every cut that parts no class
    was made: the same of a node or of words that one class shows alone.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = kanon.Table(pd.DataFrame({"sex": list("ffm"), "ill": list("xyz")}), ["sex"])
    >>> tight(table, kanon.generalize(table, 3, "cell-suppression"))
    [Certain(group=0, column=0, low=0, high=0, records=1), Certain(group=0, column=0, low=1, high=1, records=1)]
    """
    details: Any = g.details
    finest = isinstance(details, IntervalDetails) and _is_finest(table, g)
    found = []
    for column, name in enumerate(table.quasi_identifiers):
        tree = table.tree(name)
        if isinstance(details, CellDetails):
            parts = _cells(table, g, column, tree)
        elif isinstance(details, BoxDetails):
            parts = _boxes(table, g, column, tree)
        else:
            parts = _intervals(table, g, column, tree) if finest else iter(())
        found += [Certain(group, column, low, high, 1) for group, low, high in parts]
    return sorted(found, key=lambda one: (one.group, one.column, one.low))


def _cells(table: Table, g: Generalization, column: int, tree: Tree | None) -> Iterator[tuple[int, int, int]]:
    hidden = np.flatnonzero(g.details.stars[:, column]).tolist()
    if tree is None:
        if len(table.domains[column]) == 2:
            yield from ((group, value, value) for group in hidden for value in (0, 1))
        return
    inside = g.assignment >= 0
    codes, classes = table.codes[inside, column], g.assignment[inside]
    low, high = np.full(g.classes, len(tree)), np.full(g.classes, -1)
    np.minimum.at(low, classes, codes)
    np.maximum.at(high, classes, codes)
    for group in hidden:
        yield from _children(tree, group, low[group], high[group])


def _boxes(table: Table, g: Generalization, column: int, tree: Tree | None) -> Iterator[tuple[int, int, int]]:
    low, high = g.details.low[:, column], g.details.high[:, column]
    wide = np.flatnonzero(low < high).tolist()
    if tree is not None:
        for group in wide:
            yield from _children(tree, group, low[group], high[group])
        return
    first, last = _steps(table, column)
    for group in wide:
        start, stop = int(low[group]), int(high[group])
        if last[start] < first[stop]:
            yield group, start, int(last[start])
            yield group, int(first[stop]), stop


def _is_finest(table: Table, g: Generalization) -> bool:
    """Whether a result has every cut that parts no class; results from before these were added may lack some."""
    heads = heads_in(table, g.details)
    return not g.require and np.array_equal(with_free_cuts(table, g.k, heads), heads)


def _intervals(table: Table, g: Generalization, column: int, tree: Tree | None) -> Iterator[tuple[int, int, int]]:
    shown = shown_ranges(table, g)[:, column]
    runs, groups, counts = np.unique(shown, axis=0, return_index=True, return_counts=True)
    numbers = all(type(value) in (int, float) for value in table.domains[column] if value is not None)
    if tree is None and (numbers or table.is_ordered(table.quasi_identifiers[column])):
        return
    for (low, high), group, count in zip(runs.tolist(), groups.tolist(), counts.tolist(), strict=True):
        if count > 1 or low == high:
            continue
        if tree is not None:
            yield from _children(tree, group, low, high)
        else:
            yield from ((group, low, low), (group, high, high))


def _steps(table: Table, column: int) -> tuple[np.ndarray, np.ndarray]:
    """For each position of a domain the first and the last that an end there can stand for."""
    domain, own = table.domains[column], np.arange(len(table.domains[column]))
    numbers = [value for value in domain if value is not None]
    known = table.is_ordered(table.quasi_identifiers[column]) or len(numbers) < 2
    if known or not all(type(value) in (int, float) for value in numbers):
        return own, own
    first, last = step_limits([float(value) for value in numbers])  # type: ignore[arg-type]
    return np.append(first, own[len(first) :]), np.append(last, own[len(last) :])


def _children(tree: Tree, group: int, low: Any, high: Any) -> Iterator[tuple[int, int, int]]:
    """Both children of the smallest node that holds these positions, where there are two."""
    start, stop = (int(end) for end in tree.smallest(low, high))
    children = children_of(tree, start, stop)
    if len(children) == 2:
        yield from ((group, one, other) for one, other in children)


def children_of(tree: Tree, start: int, stop: int) -> list[tuple[int, int]]:
    """The largest nodes strictly inside the node from `start` to `stop`, in order.

    Example
    -------
    >>> tree = Tree.from_levels([("a", "A"), ("b", "A"), ("c", "B"), ("d", "B")])
    >>> children_of(tree, 0, 3), children_of(tree, 2, 3)
    ([(0, 1), (2, 3)], [(2, 2), (3, 3)])
    """
    found, place = [], start
    while place <= stop:
        runs = zip(tree.starts[:, place].tolist(), tree.ends[:, place].tolist(), strict=True)
        found.append([run for run in runs if run[1] - run[0] < stop - start][-1])
        place = found[-1][1] + 1
    return found
