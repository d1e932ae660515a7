"""All originals of a small release whose stars are the fewest possible, and what is the same in all of them.

The names are those of docs/proofs/release/downcoding.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod

from kanon_engine.model.generalization import Generalization
from kanon_engine.risk.attacks.downcoding.tight import Certain
from kanon_engine.tables.instance import CellDetails, Table

MOST_RECORDS = 10
MOST_ORIGINALS = 20_000
MOST_WORK = 20_000_000  # groups that are weighed, all originals together: some 20 s

Row = tuple[int, ...]


def fits(table: Table, g: Generalization) -> bool:
    """Whether a release is small enough, and its stars are proven to be the fewest."""
    if not isinstance(g.details, CellDetails) or table.trees or g.require or g.status != "optimal":
        return False
    if len(table) > MOST_RECORDS:
        return False
    originals = prod(_choices(table, g, group) for group in range(g.classes))
    return originals <= MOST_ORIGINALS and originals * _groups(len(table), g.k) <= MOST_WORK


def originals(table: Table, g: Generalization) -> list[tuple[tuple[Row, ...], ...]]:
    """The records that each class can have had, together: stars are needed, and no fewer are possible.

    What is read of the table is what a reader knows: the domains, the sizes of classes, the values that are shown.

    Example
    -------
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
        shown = table.codes[int((g.assignment == group).argmax())].tolist()
        free = [
            range(len(domain)) if star else (code,)
            for star, domain, code in zip(hidden, table.domains, shown, strict=True)
        ]
        rows = combinations_with_replacement(product(*free), size)
        choices.append([own for own in rows if _differ(own) == hidden])
    cost = g.cost
    return [chosen for chosen in product(*choices) if _fewest([row for own in chosen for row in own], g.k) == cost]


def certain(table: Table, g: Generalization) -> tuple[list[Certain], list[int]]:
    """How many records of each class have each hidden value in all originals, and classes with one original only."""
    found = originals(table, g)
    told, full = [], []
    for group in range(g.classes):
        own = [chosen[group] for chosen in found]
        if not g.details.stars[group].any():
            continue
        if len(set(own)) == 1:
            full.append(group)
        for column, domain in enumerate(table.domains):
            if not g.details.stars[group, column]:
                continue
            counts = [Counter(row[column] for row in rows) for rows in own]
            least = [min((one[value] for one in counts), default=0) for value in range(len(domain))]
            told += [Certain(group, column, value, value, many) for value, many in enumerate(least) if many]
    return told, full


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
    """The fewest stars after which every row has k - 1 equals: the best groups of k to 2k - 1 records.

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
                own = [rows[first], *(rows[at] for at in chosen)]
                stars = size * sum(_differ(own))
                if stars < least:
                    rest = left & ~(1 << first) & ~sum(1 << at for at in chosen)
                    least = min(least, stars + cost(rest))
        best[left] = least
        return least

    return cost((1 << count) - 1)
