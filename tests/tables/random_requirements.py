"""Small random sensitive columns, and what can be required of them."""

from functools import cache

import pandas as pd

import kanon_engine as kanon
from tests.oracles.diversity import satisfied
from tests.tables.random_tables import random_table

WORDS, NUMBERS = ["flu", "gout", "mumps", "measles", None], [10, 20, 21, 50, None]


def random_column(rng, n):
    """Words or numbers, some missing; skewed half of the time."""
    values = [WORDS, NUMBERS][rng.integers(2)]
    return [values[int(len(values) * part)] for part in rng.random(n) ** rng.choice([1, 2])]


def asked(rng):
    """A requirement as the oracle takes it: ("distinct", l), ("entropy", l), ("recursive", l, c), ("closeness", t)."""
    kind = str(rng.choice(["distinct", "entropy", "recursive", "closeness"]))
    l = int(rng.integers(2, 5))  # noqa: E741
    if kind == "closeness":
        return kind, float(rng.choice([0.05, 0.125, 0.25, 1 / 3, 0.5]).round(6))
    if kind == "recursive":
        return kind, l, float(rng.choice([0.5, 1, 1.25, 3]))
    return kind, l if kind == "distinct" else float(rng.choice([1.5, 2, 2.5, 3, 4]))


def requirement(column, wanted):
    """The same as the engine takes it."""
    kind, *numbers = wanted
    if kind == "closeness":
        return kanon.Closeness(column, *numbers)
    return kanon.Diversity(column, numbers[0], kind, *numbers[1:])


def random_demands(rng, most_cuts=7):
    """A small table with a column “of”, one or two requirements of it, and whether positions satisfy them, plainly."""
    table = random_table(rng, most_cuts)
    column = random_column(rng, len(table))
    frame = table.frame.assign(of=pd.Series(column, dtype=object))
    wanted = [asked(rng) for _ in range(rng.integers(1, 3))]

    @cache
    def satisfy(members):
        return all(satisfied([column[place] for place in members], column, one) for one in wanted)

    sensitive = kanon.Table(frame, table.quasi_identifiers, "label", table.orders)
    return sensitive, [requirement("of", one) for one in wanted], lambda members: satisfy(tuple(members))
