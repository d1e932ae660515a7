"""Intervals and suppressed cells in words, as a release shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.tables.domain import (
    MISSING,
    Value,
    is_number,
    joined,
    limit_between,
    limit_words,
    number_words,
    value_words,
)
from kanon_engine.tables.hierarchies import number_of
from kanon_engine.tables.instance import BoxDetails, CellDetails, Table

ANY = "any"
HIDDEN = "*"
MOST_NAMED = 3  # values that an interval lists one by one


def interval_words(values: Sequence[Value], whole: bool = False) -> str:
    """An interval of a domain, the values in order.

    Parameters
    ----------
    whole : Whether this is the whole domain.

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
    if all(map(is_number, known)):
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


def column_words(table: Table, name: str, intervals: Sequence[Sequence[Value]]) -> list[str]:
    """What each interval of a column is called in a release.

    A column with a tree shows its words.
    Where a person gave the order of a domain or its ranges, these are public and name the ends. Numbers without one end
    at round numbers, the outermost intervals are open. Words without one are named, for nothing else says what they
    are; `rare_values` tells which of them one record only has.

    Parameters
    ----------
    name : A quasi-identifier.
    intervals : Its domain, cut into intervals.

    Example
    -------
    >>> import pandas as pd
    >>> ages = Table(pd.DataFrame({"age": [17, 38, 61, 61, 117]}), ["age"])
    >>> column_words(ages, "age", [[17, 38], [61, 117]])
    ['≤ 49', '≥ 50']
    """
    place = table.quasi_identifiers.index(name)
    tree = table.tree(name)
    if tree is not None:
        ends = np.cumsum([len(part) for part in intervals])
        return [
            tree.label(end - len(part), end - 1) or interval_words(part)
            for part, end in zip(intervals, ends.tolist(), strict=True)
        ]
    known: Any = [[number_of(value) for value in part if value is not None] for part in intervals]
    numbers = [value for part in known for value in part]
    if table.is_ordered(name) or not numbers or not all(value is not None for value in numbers) or len(intervals) == 1:
        return [interval_words(part, len(intervals) == 1) for part in intervals]
    domain = table.domains[place]
    count = dict(zip(map(number_of, domain), _counts(table, place), strict=True))
    parts: Any = [part for part in known if part]
    words = iter(number_words(parts, [[int(count[value]) for value in part] for part in parts]))
    named: list[str] = []
    for part, values in zip(intervals, known, strict=True):
        end = f" or {MISSING}" if 0 < len(values) < len(part) else ""
        word = next(words) if values else MISSING
        tail = next((value for value in part if isinstance(value, str)), None) if len(values) == 1 else None
        named.append((tail or word) + end)
    return named


def _counts(table: Table, place: int) -> list[int]:
    """How many records have each value of a domain; the limit of a tail is nobody's own, so it never counts as rare."""
    domain = table.domains[place]
    counts = np.bincount(table.codes[:, place], table.weights, len(domain)).astype(np.int64).tolist()
    return [max(count, 2) if isinstance(value, str) else count for value, count in zip(domain, counts, strict=True)]


class BoxWords:
    """What each run of positions of a column's domain is called, where classes show different ones.

    Example
    -------
    >>> import pandas as pd
    >>> ages = Table(pd.DataFrame({"age": [17, 38, 61, 61, 117]}), ["age"])
    >>> words = BoxWords(ages, "age")
    >>> words(0, 1), words(1, 2), words(2, 2), words(0, 3)
    ('≤ 49', '20–99', '61', 'any')
    """

    def __init__(self, table: Table, name: str) -> None:
        place = table.quasi_identifiers.index(name)
        self.domain, self.tree = table.domains[place], table.tree(name)
        self.counts = _counts(table, place)
        self.known = sum(value is not None for value in self.domain)  # in numbers without an order None is last
        self.numbers: list[Any] = [number_of(value) for value in self.domain]
        public = table.is_ordered(name) or self.numbers.count(None) > self.domain.count(None)
        self.public = public or self.known == 0
        self.whole = all(value is None or isinstance(value, int) for value in self.numbers)
        self._cuts: dict[int, Any] = {0: None, self.known: None}

    def __call__(self, low: int, high: int) -> str:
        """Of the positions from `low` to `high`."""
        if self.tree is not None:
            return str(self.tree.label(low, high))
        whole = (low, high) == (0, len(self.domain) - 1)
        if self.public or whole:
            return interval_words(self.domain[low : high + 1], whole)
        if low >= self.known:
            return MISSING
        end = f" or {MISSING}" if high >= self.known else ""
        high = min(high, self.known - 1)
        if low == high and self.counts[low] > 1:
            return value_words(self.domain[low]) + end
        return limit_words(self._cut(low), self._cut(high + 1), self.whole) + end

    def _cut(self, place: int) -> Any:
        """The round number between the values before and at a position."""
        if place not in self._cuts:
            low, high = self.numbers[place - 1], self.numbers[place]
            rare = self.counts[place - 1] == 1, self.counts[place] == 1
            self._cuts[place] = limit_between(low, high, rare, self.whole)
        return self._cuts[place]


def rare_values(table: Table, g: Generalization) -> dict[str, int]:
    """Of each quasi-identifier whose words come from the file: how many values that a release names occur once."""
    if isinstance(g.details, CellDetails):
        return {}
    found = {}
    for place, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        # along a tree a value is named only where k records show it
        known = table.is_ordered(name) or table.tree(name) is not None
        if known or all(value is None or number_of(value) is not None for value in domain):
            continue
        intervals = _shown_values(table, g, place, name)
        if len(intervals) == 1:
            continue
        once = np.bincount(table.codes[:, place], table.weights, len(domain)) == 1
        rare = {value for value, lone in zip(domain, once, strict=True) if lone}
        named = {value for part in intervals for value in (part if len(part) <= MOST_NAMED else (part[0], part[-1]))}
        if rare & named:
            found[name] = len(rare & named)
    return found


def _shown_values(table: Table, g: Generalization, place: int, name: str) -> Sequence[Sequence[Value]]:
    """The values of every interval of a column that some class shows, but of the whole domain where classes differ."""
    details, domain = g.details, table.domains[place]
    if not isinstance(details, BoxDetails):
        intervals = details.intervals[name]
        shown = np.unique(interval_numbers(table, details.intervals)[g.assignment >= 0, place])
        return [intervals[number] for number in shown.tolist()]
    runs = {*zip(details.low[:, place].tolist(), details.high[:, place].tolist(), strict=True)}
    parts = [domain[low : high + 1] for low, high in sorted(runs)]
    return [part for part in parts if len(part) < len(domain)] or [domain]


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
        columns = [
            [hides if code < 0 else domain[code] for code, hides in zip(codes[:, place].tolist(), instead, strict=True)]
            for place, (domain, instead) in enumerate(zip(table.domains, _hiding(table, g), strict=True))
        ]
    elif isinstance(details, BoxDetails):
        sizes = np.array([len(domain) for domain in table.domains])
        codes = details.low * sizes.astype(np.int64) + details.high
        columns = []
        for place, name in enumerate(table.quasi_identifiers):
            named = BoxWords(table, name)
            runs = zip(details.low[:, place].tolist(), details.high[:, place].tolist(), strict=True)
            columns.append([named(low, high) for low, high in runs])
    else:
        codes = interval_numbers(table, details.intervals)[first]
        columns = []
        for place, name in enumerate(table.quasi_identifiers):
            intervals = details.intervals[name]
            words = column_words(table, name, intervals)
            columns.append([words[code] for code in codes[:, place].tolist()])
    return list(zip(zip(*columns, strict=True), map(tuple, codes.tolist()), strict=True))


def _hiding(table: Table, g: Generalization) -> list[list[str]]:
    """For each column what the cells of each class show where they are suppressed.

    That is a star, or in a column with a tree the smallest node that holds the values of the whole class.
    """
    stars = [hidden(table)] * g.classes
    inside = g.assignment >= 0
    found = []
    for place, name in enumerate(table.quasi_identifiers):
        tree, codes = table.tree(name), table.codes[inside, place]
        if tree is None:
            found.append(stars)
            continue
        low, high = np.full(g.classes, len(tree) - 1), np.zeros(g.classes, dtype=np.int64)
        np.minimum.at(low, g.assignment[inside], codes)
        np.maximum.at(high, g.assignment[inside], codes)
        nodes = zip(*tree.smallest(low, high), strict=True)
        found.append([tree.label(start, end) or stars[0] for start, end in nodes])
    return found


def hidden(table: Table) -> str:
    """What a suppressed cell shows: a star, or as many as no value of the table has."""
    taken = {value for domain in table.domains for value in domain}
    stars = HIDDEN
    while stars in taken:
        stars += HIDDEN
    return stars


# ---------------------------------------------------------------------------------------------------------------------
# What each class of a table shows, as ranges of positions in the domains, whatever made it.
# ---------------------------------------------------------------------------------------------------------------------


def shown_ranges(table: Table, g: Generalization) -> np.ndarray:
    """(m, q, 2) int64: first and last position in each domain for which the records of each class may stand.

    A hidden cell stands for the whole domain.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [1, 2, 3, 4], "sex": list("ffmm")}), ["age", "sex"])
    >>> shown_ranges(table, kanon.generalize(table, 2, "cell-suppression")).tolist()
    [[[0, 3], [0, 0]], [[0, 3], [1, 1]]]
    """
    details: Any = g.details
    if isinstance(details, BoxDetails):
        return np.stack([details.low, details.high], axis=2).astype(np.int64)
    sizes = np.array([len(domain) for domain in table.domains])
    first = np.zeros(g.classes, dtype=np.int64)
    inside = np.flatnonzero(g.assignment >= 0)[::-1]
    first[g.assignment[inside]] = inside  # a record of each class; all of them show the same
    codes = table.codes[first].astype(np.int64)
    if isinstance(details, CellDetails):
        return np.stack([np.where(details.stars, 0, codes), np.where(details.stars, sizes - 1, codes)], axis=2)
    ranges = np.empty((g.classes, len(sizes), 2), dtype=np.int64)
    for place, name in enumerate(table.quasi_identifiers):
        ends = np.cumsum([len(interval) for interval in details.intervals[name]])
        number = np.searchsorted(ends, codes[:, place], side="right")
        ranges[:, place, 0] = np.where(number, ends[number - 1], 0)
        ranges[:, place, 1] = ends[number] - 1
    return ranges
