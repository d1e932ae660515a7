"""Intervals and suppressed cells in words, as a release shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.values import ANY, MISSING, Value, is_number, joined, limit_between, limit_words, value_words
from kanon_engine.tables.hierarchies import number_of
from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails, Table

HIDDEN = "*"
MOST_NAMED = 3  # values that an interval lists one by one


def interval_words(values: Sequence[Value], whole: bool = False) -> str:
    """An interval of a domain, the values in order.

    `whole`: whether this is the whole domain.

    >>> interval_words((17, 18, 25)), interval_words(("17–21", "22–26")), interval_words((40, 41, None))
    ('17–25', '17–26', '40–41 or missing')
    >>> interval_words(("Bachelors", "Masters")), interval_words(("1st", "2nd", "3rd", "4th"))
    ('Bachelors or Masters', '1st … 4th (4 values)')
    >>> interval_words(("f", "m"), whole=True)
    'any'
    """
    if whole and len(values) > 1:
        return ANY
    present = [value for value in values if value is not None]
    end = f" or {MISSING}" if 0 < len(present) < len(values) else ""
    if len(present) <= 1:
        return value_words(present[0] if present else None) + end
    if all(map(is_number, present)):
        dash = " to " if any(value < 0 for value in (present[0], present[-1])) else "–"  # type: ignore[operator]
        return f"{value_words(present[0])}{dash}{value_words(present[-1])}{end}"
    if all(isinstance(value, str) for value in present):
        together = joined(str(present[0]), str(present[-1]))
        if together is not None:
            return together + end
    if len(values) <= MOST_NAMED:
        *first, last = map(value_words, values)
        return f"{', '.join(first)} or {last}"
    return f"{value_words(values[0])} … {value_words(values[-1])} ({len(values):,} values)"


def column_words(table: Table, name: str, intervals: Sequence[Sequence[Value]]) -> list[str]:
    """The name of each interval of a column in a release; the intervals are its whole domain.

    >>> import pandas as pd
    >>> ages = Table(pd.DataFrame({"age": [17, 38, 61, 61, 117]}), ["age"])
    >>> column_words(ages, "age", [[17, 38], [61, 117]])
    ['≤ 49', '≥ 50']
    """
    words = RangeWords(table, name)
    ends = np.cumsum([len(part) for part in intervals]).tolist()
    return [words(end - len(part), end - 1) for part, end in zip(intervals, ends, strict=True)]


class RangeWords:
    """The name of each range of positions of a column's domain in a release.

    A column with a tree shows its words.
    Where a person gave the order of a domain or its ranges, these are public and name the ends. Numbers without one end
    at round numbers, and the outermost ranges are open; a number that several records have is shown itself where it is
    alone. Words without one are shown because nothing else describes them; `rare_values` lists those that only one
    record has.

    >>> import pandas as pd
    >>> ages = Table(pd.DataFrame({"age": [17, 38, 61, 61, 117]}), ["age"])
    >>> words = RangeWords(ages, "age")
    >>> words(0, 1), words(1, 2), words(2, 2), words(0, 3)
    ('≤ 49', '20–99', '61', 'any')
    """

    def __init__(self, table: Table, name: str) -> None:
        place = table.quasi_identifiers.index(name)
        self.domain, self.tree = table.domains[place], table.tree(name)
        counts = np.bincount(table.codes[:, place], table.weights, len(self.domain)).astype(np.int64).tolist()
        # the limit of a tail is no record's own value, so it never counts as rare
        self.counts = [max(n, 2) if isinstance(one, str) else n for one, n in zip(self.domain, counts, strict=True)]
        self.known = sum(value is not None for value in self.domain)  # in numbers without an order None is last
        self.numbers: list[Any] = [number_of(value) for value in self.domain]
        public = table.is_ordered(name) or self.numbers.count(None) > self.domain.count(None)
        self.public = public or self.known == 0
        self.whole = all(value is None or isinstance(value, int) for value in self.numbers)
        self._cuts: dict[int, Any] = {0: None, self.known: None}

    def __call__(self, low: int, high: int) -> str:
        """The name of the positions from `low` to `high`."""
        if self.tree is not None:
            return self.tree.label(low, high) or interval_words(self.domain[low : high + 1])
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
    """For each quasi-identifier whose words come from the file, how many values that a release shows occur once."""
    if isinstance(g.details, CellDetails):
        return {}
    result = {}
    ranges = released_ranges(table, g)
    for place, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        # along a tree a value is only shown where k records show it
        public = table.is_ordered(name) or table.tree(name) is not None
        if public or all(value is None or number_of(value) is not None for value in domain):
            continue
        parts = [domain[low : high + 1] for low, high in np.unique(ranges[:, place], axis=0).tolist()]
        parts = [part for part in parts if len(part) < len(domain)]
        if len(parts) < 2:
            continue
        once = np.bincount(table.codes[:, place], table.weights, len(domain)) == 1
        rare = {value for value, lone in zip(domain, once, strict=True) if lone}
        displayed = {value for part in parts for value in (part if len(part) <= MOST_NAMED else (part[0], part[-1]))}
        if rare & displayed:
            result[name] = len(rare & displayed)
    return result


def class_rows(table: Table, g: Generalization) -> list[tuple[tuple[Value, ...], tuple[int, ...]]]:
    """What the records of each class show, and a key to sort the classes by in the order of the domains.

    Ranges are words; cells that are not suppressed keep their values, a missing one is None. The key of a
    suppressed cell is -1.
    """
    ranges = released_ranges(table, g)
    columns: list[list[Value]] = []
    if isinstance(g.details, CellDetails):
        keys = np.where(g.details.stars, -1, ranges[:, :, 0])
        for codes, domain, instead in zip(keys.T.tolist(), table.domains, _hiding(table, g), strict=True):
            columns.append([hides if code < 0 else domain[code] for code, hides in zip(codes, instead, strict=True)])
    else:
        keys = ranges[:, :, 0] * [len(domain) for domain in table.domains] + ranges[:, :, 1]
        for place, name in enumerate(table.quasi_identifiers):
            range_words, runs = RangeWords(table, name), [tuple(run) for run in ranges[:, place].tolist()]
            words = {run: range_words(*run) for run in dict.fromkeys(runs)}
            columns.append([words[run] for run in runs])
    return list(zip(zip(*columns, strict=True), map(tuple, keys.tolist()), strict=True))


def counts_by_label(table: Table, g: Generalization) -> list[list[tuple[int, str, int]]]:
    """For each column, the keys (see `class_rows`) in order, their words, and how many records show them."""
    rows = class_rows(table, g)
    columns = []
    for place in range(len(table.quasi_identifiers)):
        counts: dict[int, tuple[str, int]] = {}
        for (words, keys), weight in zip(rows, g.class_weights.tolist(), strict=True):
            counts[keys[place]] = value_words(words[place]), counts.get(keys[place], ("", 0))[1] + weight
        columns.append([(key, *counts[key]) for key in sorted(counts)])
    return columns


def _hiding(table: Table, g: Generalization) -> list[list[str]]:
    """For each column, what the cells of each class show where they are suppressed.

    A star, or in a column with a tree the smallest node that holds the values of the whole class.
    """
    stars = [hidden(table)] * g.classes
    inside = g.assignment >= 0
    result = []
    for place, name in enumerate(table.quasi_identifiers):
        tree, codes = table.tree(name), table.codes[inside, place]
        if tree is None:
            result.append(stars)
            continue
        low, high = np.full(g.classes, len(tree) - 1), np.zeros(g.classes, dtype=np.int64)
        np.minimum.at(low, g.assignment[inside], codes)
        np.maximum.at(high, g.assignment[inside], codes)
        nodes = zip(*tree.smallest(low, high), strict=True)
        result.append([tree.label(start, end) or stars[0] for start, end in nodes])
    return result


def hidden(table: Table) -> str:
    """What a suppressed cell shows: a star, or more stars if a value of the table is one."""
    in_use = {value for domain in table.domains for value in domain}
    stars = HIDDEN
    while stars in in_use:
        stars += HIDDEN
    return stars


def released_ranges(table: Table, g: Generalization) -> np.ndarray:
    """(m, q, 2) int64: first and last position in each domain that the records of each class may have.

    A hidden cell represents the whole domain.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [1, 2, 3, 4], "sex": list("ffmm")}), ["age", "sex"])
    >>> released_ranges(table, kanon.generalize(table, 2, "cell-suppression")).tolist()
    [[[0, 3], [0, 0]], [[0, 3], [1, 1]]]
    """
    details: Any = g.details
    if isinstance(details, BoxDetails):
        return np.stack([details.low, details.high], axis=2).astype(np.int64)
    first = np.zeros(g.classes, dtype=np.int64)
    inside = np.flatnonzero(g.assignment >= 0)[::-1]
    first[g.assignment[inside]] = inside  # a record of each class; all of them show the same
    codes = table.codes[first].astype(np.int64)
    if isinstance(details, CellDetails):
        last = [len(domain) - 1 for domain in table.domains]
        return np.stack([np.where(details.stars, 0, codes), np.where(details.stars, last, codes)], axis=2)
    columns = []
    for place in range(codes.shape[1]):
        intervals = column_ranges(table, g, place)
        columns.append(intervals[np.searchsorted(intervals[:, 1], codes[:, place])])
    return np.stack(columns, axis=1)


def column_ranges(table: Table, g: Generalization, place: int) -> np.ndarray:
    """(r, 2) int64: the ranges of a column in order: all of its intervals, or those that some class shows."""
    if not isinstance(g.details, IntervalDetails):
        return np.unique(released_ranges(table, g)[:, place], axis=0)
    sizes = np.array(
        [len(interval) for interval in g.details.intervals[table.quasi_identifiers[place]]], dtype=np.int64
    )
    return np.stack([np.cumsum(sizes) - sizes, np.cumsum(sizes) - 1], axis=1)
