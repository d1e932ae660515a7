"""The finer releases that an algorithm would have made of the same classes, had they satisfied what is required."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.risk.attacks.downcoding.tight import children_of
from kanon_engine.tables.instance import BoxDetails, Table

Sides = tuple[tuple[int, ...], ...]


def class_cuts(table: Table, g: Generalization, codes: np.ndarray, sizes: np.ndarray, k: int) -> list[Sides]:
    """Cuts of one class in one column that leave k on every side: all of them, of Mondrian those at the median.

    Parameters
    ----------
    table : Table
    g : Generalization
        Of boxes.
    codes : (t, q) int array
        The different tuples of the class.
    sizes : (t,) int array
        How many records have each.
    k : int
    """
    found: dict[Sides, None] = {}
    for column, name in enumerate(table.quasi_identifiers):
        values = codes[:, column]
        tree = table.tree(name)
        if tree is not None:
            low, high = (int(end) for end in tree.smallest(values.min(), values.max()))
            children = children_of(tree, low, high) if low < high else []
            choices = [[(values >= one) & (values <= other) for one, other in children]]
        elif g.algorithm == "mondrian":
            order = np.argsort(values, kind="stable")
            median = values[order][int(np.searchsorted(sizes[order].cumsum(), sizes.sum() / 2))]
            choices = [[left, ~left] for left in (values <= median, values < median)]
        else:
            choices = [[values < at, values >= at] for at in np.unique(values)[1:].tolist()]
        for sides in choices:
            own = tuple(tuple(np.flatnonzero(side).tolist()) for side in sides if side.any())
            if len(own) > 1 and all(sizes[list(side)].sum() >= k for side in own):
                found[own] = None
    return list(found)


def shared_cuts(
    table: Table, g: Generalization, classes: list[tuple[np.ndarray, np.ndarray]], k: int
) -> list[list[Sides]]:
    """One more cut of a column for all classes, which leaves k on every side: for each its sides of every class."""
    details: Any = g.details
    found: dict[tuple[Sides, ...], None] = {}
    for column, parts in _cuts(table, details):
        sides = []
        for codes, _ in classes:
            values = codes[:, column]
            inside = [np.flatnonzero((values >= low) & (values <= high)) for low, high in parts]
            rest = [np.flatnonzero((values < parts[0][0]) | (values > parts[-1][1]))]
            sides.append(tuple(tuple(side.tolist()) for side in (*inside, *rest) if len(side)))
        cut = any(len(own) > 1 for own in sides)
        enough = all(
            sizes[list(side)].sum() >= k for (_, sizes), own in zip(classes, sides, strict=True) for side in own
        )
        if cut and enough:
            found[tuple(sides)] = None
    return [list(one) for one in found]


def _cuts(table: Table, details: Any) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Column and parts of one of its intervals, for each way to cut one."""
    for column, name in enumerate(table.quasi_identifiers):
        tree, start = table.tree(name), 0
        for interval in details.intervals[name]:
            stop = start + len(interval) - 1
            if tree is not None:
                if start < stop:
                    yield column, children_of(tree, start, stop)
            else:
                yield from ((column, [(start, at - 1), (at, stop)]) for at in range(start + 1, stop + 1))
            start = stop + 1


def cut_one_by_one(g: Generalization) -> bool:
    """Whether each class is cut by itself."""
    return isinstance(g.details, BoxDetails)
