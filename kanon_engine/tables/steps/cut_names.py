"""What cut values are called: by the paper's numbers (Bayardo, Agrawal 2005, section 4) and in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kanon_engine.tables.domain import value_words
from kanon_engine.tables.instance import IntervalDetails, Table


def cut_numbers(table: Table) -> list[int]:
    """The place of each cut value in the total order of all values of all domains, counted from 1.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 30, 40], "sex": ["f", "m", "m"]}), ["age", "sex"])
    >>> cut_numbers(table), cut_names(table)
    ([2, 3, 5], ['2: age from 30', '3: age from 40', '5: sex from m'])
    """
    before = np.cumsum([0, *(len(domain) for domain in table.domains)])
    return [int(before[column] + place) + 1 for column, place in table.cut_values.tolist()]


def cut_names(table: Table) -> list[str]:
    """Each cut value by its number and in words."""
    return [
        f"{number}: {table.quasi_identifiers[column]} from {value_words(table.domains[column][place])}"
        for number, (column, place) in zip(cut_numbers(table), table.cut_values.tolist(), strict=True)
    ]


def set_words(table: Table, values: Iterable[int]) -> str:
    """A set of cut values by their numbers, as the paper writes it.

    Example
    -------
    >>> import pandas as pd
    >>> set_words(Table(pd.DataFrame({"age": [20, 30, 40]}), ["age"]), [0, 1])
    '{2, 3}'
    """
    numbers = cut_numbers(table)
    return "{" + (", ".join(str(numbers[value]) for value in values) or " ") + "}"


def heads_in(table: Table, details: IntervalDetails) -> np.ndarray:
    """(a,) bool: the cut values of a result; a cut between two values that occur is that of the later one."""
    heads = np.zeros(len(table.cut_values), dtype=bool)
    for column, position in details.cuts.tolist():
        own = np.flatnonzero(table.cut_values[:, 0] == column)
        later = own[table.cut_values[own, 1] >= position]
        if len(later) and position > table.codes[:, column].min():
            heads[later[0]] = True
    return heads


def result_words(table: Table, heads: np.ndarray, told: Iterable[np.ndarray]) -> str:
    """The cuts of a result, (a,) bool, in a sentence; `told` are the heads that the steps before it showed."""
    words = f"This is the result: {set_words(table, np.flatnonzero(heads).tolist())}"
    free = "" if any(np.array_equal(heads, one) for one in told) else ", with every cut that parts no group"
    return words + free
