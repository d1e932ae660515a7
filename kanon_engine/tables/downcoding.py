"""Downcoding: hidden values that follow because a release hides no more than necessary (Cohen 2022)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.model.attacked import DOWNCODING, Attacked
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.tree import Tree
from kanon_engine.release import require_result_of
from kanon_engine.tables.boxes import step_limits
from kanon_engine.tables.cuts import heads_in, with_free_cuts
from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails, Table
from kanon_engine.tables.words import class_rows, interval_words, released_ranges

EXAMINED = "whether groups show ranges as narrow as possible"
EXAMINED_IN_FULL = "all tables that could lead to this release if it hides as few values as possible"


def downcoding(table: Table, g: Generalization) -> Attacked:
    """Records with a value that the release does not show but that is certain.

    Guarantee: what is found holds in every original with this release. For releases with the fewest stars and up to
    10 records and 20,000 originals, everything that is the same in all of these originals is found
    (docs/proofs/release/downcoding.md).

    Parameters
    ----------
    g : Made from the table.

    Returns
    -------
    Attacked
        found: records for which one more value is certain; their group is known, but not whose they are. A group
        counts with the column that reveals most of its records. The evidence has a row for each part of a column.

    A star in a column of two values: one record of the group at least has each.

    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"sex": list("ffmm"), "city": list("ABAB")})
    >>> table = kanon.Table(people, ["sex", "city"])
    >>> found = downcoding(table, kanon.generalize(table, 2, "cell-suppression"))
    >>> found.verdict, found.found, found.of
    ('does not survive', 4, 4)
    >>> found.evidence[["group", "column", "shown", "certain", "records"]].values.tolist()[:2]
    [[1, 'city', '*', 'A', 1], [1, 'city', '*', 'B', 1]]
    """
    require_result_of(table, g)
    records = int(table.weights[g.assignment >= 0].sum())
    if isinstance(g.details, IntervalDetails) and not tight(table, g):
        words = (
            "The cuts of a column are the same for all groups. An interval may hold values that do not occur in a "
            "group, so nothing more is certain about any record. The attack does not use the fact that the cuts have "
            "the lowest cost."
        )
        return DOWNCODING.ran(0, records, table.unit, words, {"examined": EXAMINED})
    full: list[int] = []
    in_full = fits(table, g)
    if in_full:
        certainties, full = certain(table, g)
    else:
        certainties = tight(table, g)
    evidence = _evidence(table, g, certainties)
    cells = int(evidence["records"].sum())
    by_column = evidence.groupby(["group", "column"])["records"].sum()
    count = int(by_column.groupby("group").max().sum()) if len(evidence) else 0
    figures = {
        "examined": EXAMINED_IN_FULL if in_full else EXAMINED,
        "cells": f"{cells:,} of {_hidden(table, g):,} that are not shown exactly",
        "groups in which more can be inferred": f"{evidence['group'].nunique():,} of {g.classes:,}",
    }
    if in_full:
        figures["groups for which only one set of records is possible"] = f"{len(full):,}"
    words = f"For each of {records:,} {table.unit}, no value can be inferred beyond what the release shows."
    if count:
        words = (
            f"For {count:,} of {records:,} {table.unit}, a hidden value or a narrower range can be inferred: the "
            "release hides no more than necessary, so some records in the group must have this value or range. "
            "Otherwise, the release would show more detail."
        )
    return DOWNCODING.ran(count, records, table.unit, words, figures, evidence if count else None)


def _hidden(table: Table, g: Generalization) -> int:
    """Cells that do not show one value."""
    ranges = released_ranges(table, g)
    return int((g.class_weights[:, None] * (ranges[:, :, 0] < ranges[:, :, 1])).sum())


def _evidence(table: Table, g: Generalization, certainties: Sequence[Certain]) -> pd.DataFrame:
    """One row for each part: group, column, shown, certain, records, size, and how many really have it."""
    visible = class_rows(table, g)
    members, rows = members_of(g.assignment, g.classes), []
    for one in certainties:
        name, indices = table.quasi_identifiers[one.column], members[one.group]
        codes = table.codes[indices, one.column]
        have = int(table.weights[indices][(codes >= one.low) & (codes <= one.high)].sum())
        size = int(g.class_weights[one.group])
        words = visible[one.group][0][one.column], _words(table, one)
        rows.append((one.group + 1, name, *words, one.records, size, have))
    return pd.DataFrame(rows, columns=["group", "column", "shown", "certain", "records", "of", "actual records"])


def _words(table: Table, one: Certain) -> str:
    name = table.quasi_identifiers[one.column]
    tree = table.tree(name)
    label = None if tree is None else tree.label(one.low, one.high)
    return label or interval_words(table.domains[one.column][one.low : one.high + 1])


# ---------------------------------------------------------------------------------------------------------------------
# All originals of a small release whose stars are the fewest possible, and what is the same in all of them.
#
# The names are those of docs/proofs/release/downcoding.md.
# ---------------------------------------------------------------------------------------------------------------------


MOST_RECORDS = 10
MOST_ORIGINALS = 20_000
MOST_WORK = 20_000_000  # groups that are examined over all originals: about 20 s

Row = tuple[int, ...]


def fits(table: Table, g: Generalization) -> bool:
    """Whether a release is small enough, and its stars are proven to be the fewest."""
    if not isinstance(g.details, CellDetails) or table.trees or g.require or g.status != "optimal":
        return False
    if table.total > MOST_RECORDS:
        return False
    originals = prod(_choices(table, g, group) for group in range(g.classes))
    return originals <= MOST_ORIGINALS and originals * _groups(table.total, g.k) <= MOST_WORK


def originals(table: Table, g: Generalization) -> list[tuple[tuple[Row, ...], ...]]:
    """The records that each class can have had, together: stars are needed, and no fewer are possible.

    What is read of the table is what a reader knows: the domains, the sizes of classes, the values that are shown.

    Two records of two columns of two values, all hidden: they differ in both.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"sex": ["f", "m"], "city": ["A", "B"]}), ["sex", "city"])
    >>> originals(table, kanon.generalize(table, 2, "cell-suppression"))
    [(((0, 0), (1, 1)),), (((0, 1), (1, 0)),)]
    """
    stars, sizes = g.details.stars.tolist(), g.class_weights.tolist()
    choices = []
    for group, (hidden, size) in enumerate(zip(stars, sizes, strict=True)):
        cells = table.codes[int((g.assignment == group).argmax())].tolist()
        free = [
            range(len(domain)) if star else (code,)
            for star, domain, code in zip(hidden, table.domains, cells, strict=True)
        ]
        rows = combinations_with_replacement(product(*free), size)
        choices.append([candidate for candidate in rows if _differ(candidate) == hidden])
    cost = g.cost
    return [
        chosen
        for chosen in product(*choices)
        if _fewest([row for candidate in chosen for row in candidate], g.k) == cost
    ]


def certain(table: Table, g: Generalization) -> tuple[list[Certain], list[int]]:
    """How many records of each class have each hidden value in all originals, and classes with only one original."""
    possible = originals(table, g)
    certainties, full = [], []
    for group in range(g.classes):
        versions = [chosen[group] for chosen in possible]
        if not g.details.stars[group].any():
            continue
        if len(set(versions)) == 1:
            full.append(group)
        for column, domain in enumerate(table.domains):
            if not g.details.stars[group, column]:
                continue
            counts = [Counter(row[column] for row in rows) for rows in versions]
            least = [min((one[value] for one in counts), default=0) for value in range(len(domain))]
            certainties += [Certain(group, column, value, value, many) for value, many in enumerate(least) if many]
    return certainties, full


def _choices(table: Table, g: Generalization, group: int) -> int:
    """How many multisets of rows a class can have, at most."""
    rows = prod(len(domain) for domain, star in zip(table.domains, g.details.stars[group], strict=True) if star)
    return comb(rows + int(g.class_weights[group]) - 1, int(g.class_weights[group]))


def _groups(count: int, k: int) -> int:
    """About how many groups `_fewest` weighs."""
    return sum(comb(count, size) * 2 ** (count - size) for size in range(k, min(2 * k, count + 1)))


def _differ(rows: Sequence[Row]) -> list[bool]:
    return [any(value != column[0] for value in column) for column in zip(*rows, strict=True)]


def _fewest(rows: Sequence[Row], k: int) -> int:
    """The fewest stars with which every row has k - 1 equals: the best groups of k to 2k - 1 records.

    A group of 2k records or more can be divided without another star.
    """
    count = len(rows)
    best: dict[int, int] = {0: 0}

    def cost(left: int) -> int:
        if left in best:
            return best[left]
        members = [at for at in range(count) if left >> at & 1]
        first, others = members[0], members[1:]
        least = count * len(rows[0]) + 1
        for size in range(k, min(2 * k, len(members) + 1)):
            if 0 < len(members) - size < k:
                continue
            for chosen in combinations(others, size - 1):
                group = [rows[first], *(rows[at] for at in chosen)]
                stars = size * sum(_differ(group))
                if stars < least:
                    rest = left & ~(1 << first) & ~sum(1 << at for at in chosen)
                    least = min(least, stars + cost(rest))
        best[left] = least
        return least

    return cost((1 << count) - 1)


# ---------------------------------------------------------------------------------------------------------------------
# What follows just because each class shows the least that holds its records.
#
# The names are those of docs/proofs/release/downcoding.md.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certain:
    """At least this many records of a class have a value in a part of what the class shows."""

    group: int  # the class
    column: int  # the quasi-identifier
    # low, high: first and last position of the part in the domain
    low: int
    high: int
    records: int


def tight(table: Table, g: Generalization) -> list[Certain]:
    """Parts of what classes show in which at least one record has its value (Theorem 1).

    Of a star or a node with two children both; of a range with a person's order, or of words, both ends; of a range of
    numbers the round steps at both ends. Of cuts that are the same for all classes, where every cut that parts no class
    was made: the same of a node or of words that one class shows alone.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = kanon.Table(pd.DataFrame({"sex": list("ffm"), "ill": list("xyz")}), ["sex"])
    >>> tight(table, kanon.generalize(table, 3, "cell-suppression"))
    [Certain(group=0, column=0, low=0, high=0, records=1), Certain(group=0, column=0, low=1, high=1, records=1)]
    """
    details: Any = g.details
    finest = False
    if isinstance(details, IntervalDetails) and not g.require:
        # every cut that parts no class is made; results from before these were added may lack some
        heads = heads_in(table, details)
        finest = np.array_equal(with_free_cuts(table, g.k, heads), heads)
    result = []
    for column, name in enumerate(table.quasi_identifiers):
        tree = table.tree(name)
        if isinstance(details, CellDetails):
            parts = _cells(table, g, column, tree)
        elif isinstance(details, BoxDetails):
            parts = _boxes(table, g, column, tree)
        else:
            parts = _intervals(table, g, column, tree) if finest else iter(())
        result += [Certain(group, column, low, high, 1) for group, low, high in parts]
    return sorted(result, key=lambda one: (one.group, one.column, one.low))


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


def _intervals(table: Table, g: Generalization, column: int, tree: Tree | None) -> Iterator[tuple[int, int, int]]:
    ranges = released_ranges(table, g)[:, column]
    runs, groups, counts = np.unique(ranges, axis=0, return_index=True, return_counts=True)
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
    """For each position of a domain, the first and the last that an end there can represent."""
    domain, positions = table.domains[column], np.arange(len(table.domains[column]))
    numbers = [value for value in domain if value is not None]
    exact = table.is_ordered(table.quasi_identifiers[column]) or len(numbers) < 2
    if exact or not all(type(value) in (int, float) for value in numbers):
        return positions, positions
    first, last = step_limits([float(value) for value in numbers])  # type: ignore[arg-type]
    return np.append(first, positions[len(first) :]), np.append(last, positions[len(last) :])


def _children(tree: Tree, group: int, low: Any, high: Any) -> Iterator[tuple[int, int, int]]:
    """Both children of the smallest node that holds these positions, where there are two."""
    start, stop = (int(end) for end in tree.smallest(low, high))
    children = children_of(tree, start, stop)
    if len(children) == 2:
        yield from ((group, one, other) for one, other in children)


def children_of(tree: Tree, start: int, stop: int) -> list[tuple[int, int]]:
    """The largest nodes strictly inside the node from `start` to `stop`, in order.

    >>> tree = Tree.from_levels([("a", "A"), ("b", "A"), ("c", "B"), ("d", "B")])
    >>> children_of(tree, 0, 3), children_of(tree, 2, 3)
    ([(0, 1), (2, 3)], [(2, 2), (3, 3)])
    """
    children, place = [], start
    while place <= stop:
        runs = zip(tree.starts[:, place].tolist(), tree.ends[:, place].tolist(), strict=True)
        children.append([run for run in runs if run[1] - run[0] < stop - start][-1])
        place = children[-1][1] + 1
    return children
