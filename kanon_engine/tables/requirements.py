"""Diversity and closeness of sensitive columns as arrays that kernels work on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.requirement import Closeness, Diversity, exact
from kanon_engine.tables.instance import Table
from kanon_engine.tables.requirements_kernels import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, Required, which_hold
from kanon_engine.verification.table_costs import are_numbers

LARGEST = 1 << 62  # of what is counted exactly

NUMBERS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


def encoded(table: Table, require: Sequence[Diversity | Closeness]) -> Required:
    """The requirements on a table's records for `requirements.kernels`; without any, one that everything satisfies.

    >>> import pandas as pd
    >>> from kanon_engine.tables.requirements_kernels import add_records, all_hold
    >>> people = pd.DataFrame({"age": [30, 30, 41, 44], "illness": ["flu", "flu", "gout", "flu"]})
    >>> required = encoded(Table(people, ["age"]), [Diversity("illness", 2)])
    >>> counts = np.zeros_like(required.whole)
    >>> add_records(required, counts, np.array([0, 1]))
    >>> counts.tolist(), all_hold(required, counts)
    ([2, 0], False)
    >>> add_records(required, counts, np.array([2]))
    >>> counts.tolist(), all_hold(required, counts)
    ([2, 1], True)
    """
    names = list(dict.fromkeys(one.column for one in require))
    domains = [table.sensitive(name)[1] for name in names]
    begins = np.cumsum([0, *(len(domain) for domain in domains)], dtype=np.int64)
    codes = np.zeros((len(table) if names else 0, len(names)), dtype=np.int32)
    weights = table.weights.copy() if names else np.zeros(0, dtype=np.int64)  # a read-only one is another type to numba
    for column, name in enumerate(names):
        codes[:, column] = begins[column] + table.sensitive(name)[0]
    place = {name: column for column, name in enumerate(names)}
    columns = np.array([place[one.column] for one in require], dtype=np.int64)
    rows = [_row(table, one, domains[place[one.column]]) for one in require]
    kinds, ranks, fewest, up, down = np.array(rows, dtype=np.int64).reshape(-1, 5).T.copy()
    numbers = table.tuples[2] if names else np.zeros(0, dtype=np.int64)
    return Required(
        kinds=kinds,
        first=begins[columns],
        last=begins[columns + 1],
        ranks=ranks,
        fewest=fewest,
        numerator=up,
        denominator=down,
        hereditary=all(isinstance(one, Diversity) and one.kind == "distinct" for one in require),
        whole=np.bincount(codes.ravel(), np.repeat(weights, len(names)), int(begins[-1])).astype(np.int64),
        total=table.total,
        codes=codes,
        weights=weights,
        order=np.argsort(numbers, kind="stable").astype(np.int64),
        starts=np.concatenate([[0], np.cumsum(np.bincount(numbers))]).astype(np.int64),
    )


def retained_classes(table: Table, require: Sequence[Diversity | Closeness], numbers: np.ndarray) -> np.ndarray:
    """(m,) bool: which classes satisfy all of these; `numbers` has the class of each row, every number used.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 30, 41, 44], "illness": ["flu", "flu", "gout", "flu"]})
    >>> retained_classes(Table(people, ["age"]), [Diversity("illness", 2)], np.array([0, 0, 1, 1])).tolist()
    [False, True]
    """
    rows = np.bincount(numbers)
    if not require:
        return np.ones(len(rows), dtype=bool)
    starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    return which_hold(encoded(table, require), np.argsort(numbers, kind="stable"), starts)


def _row(table: Table, one: Diversity | Closeness, domain: Sequence[object]) -> tuple[int, int, int, int, int]:
    """Kind, rank, fewest different values, and the required amount as a fraction.

    Where recursive (c, l)-diversity holds with m different values, the most common is below c (m - l + 1) times itself.
    """
    if isinstance(one, Closeness):
        if 2 * max(len(domain), 2) * table.total**2 > LARGEST:
            raise InvalidInput(
                f"{len(domain):,} different values of {one.column!r} in {table.total:,} records are too many to be "
                "compared exactly; put them into ranges.",
                parameter="require",
                value=one.column,
            )
        most = exact(one.t)
        return ORDERED if are_numbers(domain) else EQUAL, 0, 1, most.numerator, most.denominator
    least = exact(one.l)
    if one.kind == "recursive":
        share = exact(one.c)
        return RECURSIVE, int(one.l), int(one.l) + math.floor(1 / share), share.numerator, share.denominator
    fewest = math.ceil(least)
    return NUMBERS[one.kind], 0, fewest, least.numerator, Fraction(least).denominator
