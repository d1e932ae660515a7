"""Intervals and suppressed cells in words, as a release shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kanon_engine.generalization import Generalization
from kanon_engine.tables.domain import Value
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.ranges import joined, shown

ANY = "any"
MISSING = "missing"
HIDDEN = "*"
MOST_NAMED = 3  # values that an interval lists one by one


def value_words(value: Value) -> str:
    """One value.

    Example
    -------
    >>> value_words(17), value_words("Masters"), value_words(None)
    ('17', 'Masters', 'missing')
    """
    if value is None:
        return MISSING
    return shown(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def interval_words(values: Sequence[Value], whole: bool = False) -> str:
    """An interval of a domain, the values in order.

    Parameters
    ----------
    values : sequence
    whole : bool
        Whether this is the whole domain.

    Example
    -------
    >>> interval_words((17, 18, 25)), interval_words(("17–21", "22–26")), interval_words((40, 41, None))
    ('17–25', '17–26', '40–41 or missing')
    >>> interval_words(("Bachelors", "Masters")), interval_words(("1st", "2nd", "3rd", "4th"))
    ('Bachelors or Masters', '1st … 4th (4 values)')
    >>> interval_words(("f", "m"), whole=True)
    'any'
    """
    if whole and len(values) > 1:
        return ANY
    known = [value for value in values if value is not None]
    end = f" or {MISSING}" if 0 < len(known) < len(values) else ""
    if len(known) <= 1:
        return value_words(known[0] if known else None) + end
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        dash = " to " if any(value < 0 for value in (known[0], known[-1])) else "–"  # type: ignore[operator]
        return f"{value_words(known[0])}{dash}{value_words(known[-1])}{end}"
    if all(isinstance(value, str) for value in known):
        together = joined(str(known[0]), str(known[-1]))
        if together is not None:
            return together + end
    if len(values) <= MOST_NAMED:
        *first, last = map(value_words, values)
        return f"{', '.join(first)} or {last}"
    return f"{value_words(values[0])} … {value_words(values[-1])} ({len(values):,} values)"


def interval_numbers(table: Table, intervals: Mapping[str, Sequence[Sequence[Value]]]) -> np.ndarray:
    """(n, q) int64: which interval of each quasi-identifier every record is in."""
    columns = []
    for place, name in enumerate(table.quasi_identifiers):
        sizes = [len(interval) for interval in intervals[name]]
        columns.append(np.repeat(np.arange(len(sizes)), sizes)[table.codes[:, place]])
    return np.column_stack(columns)


def class_rows(table: Table, g: Generalization) -> list[tuple[tuple[Value, ...], tuple[int, ...]]]:
    """What the records of each class show, and a key to sort the classes by in the order of the domains.

    Intervals are words; of cells that are not suppressed the values stay as they are, a missing one None.
    """
    first = np.zeros(g.classes, dtype=np.int64)
    inside = np.flatnonzero(g.assignment >= 0)[::-1]
    first[g.assignment[inside]] = inside  # a record of each class; all of them show the same
    details: Any = g.details
    columns: list[list[Value]]
    if isinstance(details, CellDetails):
        codes = np.where(details.stars, -1, table.codes[first])
        stars = hidden(table)
        columns = [
            [stars if code < 0 else domain[code] for code in codes[:, place].tolist()]
            for place, domain in enumerate(table.domains)
        ]
    else:
        codes = interval_numbers(table, details.intervals)[first]
        columns = []
        for place, name in enumerate(table.quasi_identifiers):
            intervals = details.intervals[name]
            words = [interval_words(interval, len(intervals) == 1) for interval in intervals]
            columns.append([words[code] for code in codes[:, place].tolist()])
    return list(zip(zip(*columns, strict=True), map(tuple, codes.tolist()), strict=True))


def hidden(table: Table) -> str:
    """What a suppressed cell shows: a star, or as many as no value of the table has."""
    taken = {value for domain in table.domains for value in domain}
    stars = HIDDEN
    while stars in taken:
        stars += HIDDEN
    return stars
