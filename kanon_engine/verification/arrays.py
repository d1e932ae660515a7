"""Columns of numbers, in a NumPy form and in a plain form that gives the same values.

A column is a one-dimensional array of NumPy, or a `Column` where NumPy cannot be imported. Nothing outside this module
distinguishes the two, so a verdict never depends on which of them ran. Both share:

- whole numbers below 2^63, which whoever makes a column must ensure, floats, or truth values (int64, float64, bool);
- ``+ - * / // %``, comparisons, ``& | ~``, ``abs`` row by row, with a column of the same length or with one number;
- ``column[3]``, ``column[1:]``, ``column[mask]``, ``column[rows]``, ``len``, ``tolist``.

IEEE 754 rounds ``+ - * /``, `square_root` and `nearest_whole` identically in both forms. A sum of floats depends on its
order, and a sine on the machine: sum with `math.fsum`, which is exact, and round what `math` gives of an angle.
"""

from __future__ import annotations

import math
import operator
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce, wraps
from heapq import heappop, heappush, heapreplace
from itertools import accumulate
from itertools import count as count_up
from typing import Any, TypeVar

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

FORM = "plain" if np is None else "NumPy"
Plain = TypeVar("Plain", bound=Callable[..., Any])
CODES = {"<i4": "i", "<i8": "q", "<f8": "d", "|b1": "B"}  # types of entries, as module `array` calls them


def numpy_form(fast: Callable[..., Any]) -> Callable[[Plain], Plain]:
    """Run this function instead of the plain one where NumPy is available."""
    return lambda plain: plain if np is None else wraps(plain)(fast)  # type: ignore[return-value]


class Column:
    """The plain form of a column."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("values",)

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, Column):
            if which.values and type(which.values[0]) is bool:
                return Column([value for value, chosen in zip(self.values, which.values) if chosen])
            return Column([self.values[row] for row in which.values])
        return Column(self.values[which]) if isinstance(which, slice) else self.values[which]

    def __abs__(self) -> Column:
        return Column(list(map(abs, self.values)))

    def __invert__(self) -> Column:
        return Column([not value for value in self.values])

    def tolist(self) -> list[Any]:
        """The numbers of all rows."""
        return self.values


def _row_by_row(function: Callable[[Any, Any], Any], reflected: bool) -> Callable[[Any, Any], Column]:
    def applied(one: Column, other: Any) -> Column:
        if isinstance(other, Column):
            return Column(list(map(function, one.values, other.values)))
        if reflected:
            return Column([function(other, value) for value in one.values])
        return Column([function(value, other) for value in one.values])

    return applied


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge", "and_", "or_"):
    setattr(Column, f"__{_name.rstrip('_')}__", _row_by_row(getattr(operator, _name), False))
for _name in ("add", "sub", "mul"):
    setattr(Column, f"__r{_name}__", _row_by_row(getattr(operator, _name), True))


# ---------------------------------------------------------------------------------------------------------------------
# New columns
# ---------------------------------------------------------------------------------------------------------------------


@numpy_form(lambda value: value.item() if isinstance(value, np.generic) else value)
def plain(value: Any) -> Any:
    """A single number or text of NumPy as Python's; anything else as it is."""
    return value


@numpy_form(lambda values, kind: np.array(array(CODES[kind], values), dtype=kind))  # NumPy 1 alone would wrap around
def of_kind(values: Sequence[float], kind: str) -> Any:
    """Numbers as a column of a type of `CODES`; OverflowError for one that the type cannot hold."""
    entries = array(CODES[kind], values)
    return Column([value != 0 for value in entries] if kind == "|b1" else entries.tolist())


@numpy_form(lambda values, kind: np.ascontiguousarray(values).view("u1").data)
def packed(values: Any, kind: str) -> Any:
    """The numbers of a column of that type as bytes, the lowest first."""
    entries = array(CODES[kind], values.values)
    if sys.byteorder == "big":
        entries.byteswap()
    return entries.tobytes()


def column(values: Sequence[int]) -> Any:
    """Whole numbers as a column."""
    return of_kind(values, "<i8")


def floats(values: Sequence[float]) -> Any:
    """Floats as a column."""
    return of_kind(values, "<f8")


@numpy_form(lambda count, value: np.full(count, value))
def filled(count: int, value: float | bool) -> Any:
    """The same value in every row."""
    return Column([value] * count)


@numpy_form(lambda count: np.arange(count))
def places(count: int) -> Any:
    """0, 1, 2 …"""
    return Column(list(range(count)))


@numpy_form(lambda mask: np.flatnonzero(mask))
def rows_where(mask: Any) -> Any:
    """The places of rows where the mask is true."""
    return Column([row for row, chosen in enumerate(mask.values) if chosen])


@numpy_form(lambda mask, one, other: np.where(mask, one, other))
def where(mask: Any, one: Any, other: Any) -> Any:
    """The first value in rows where the mask is true, the second elsewhere; each a column or a number."""
    ones, others = (each.values if isinstance(each, Column) else [each] * len(mask) for each in (one, other))
    return Column([a if chosen else b for chosen, a, b in zip(mask.values, ones, others)])


@numpy_form(lambda one, other: np.minimum(one, other))
def minimum(one: Any, other: Any) -> Any:
    """The lesser of two, row by row; the second may be a number."""
    return where(one < other, one, other)


@numpy_form(lambda one, other: np.maximum(one, other))
def maximum(one: Any, other: Any) -> Any:
    """The greater of two, row by row; the second may be a number."""
    return where(one > other, one, other)


@numpy_form(lambda columns: np.concatenate(columns))
def concatenated(columns: Sequence[Any]) -> Any:
    """The rows of several columns, one after another."""
    return Column([value for each in columns for value in each.values])


@numpy_form(lambda values: np.cumsum(values))
def running_sums(values: Any) -> Any:
    """The running sum of whole numbers at each row."""
    return Column(list(accumulate(values.values)))


@numpy_form(lambda columns: reduce(operator.iadd, columns))
def added(columns: Iterable[Any]) -> Any:
    """The row-by-row sums of new columns of one type; the first column becomes the result."""
    return reduce(operator.add, columns)


@numpy_form(lambda values: np.sqrt(values))
def square_root(values: Any) -> Any:
    """The square root of each row, as a float."""
    return Column([math.sqrt(value) for value in values.values])


@numpy_form(lambda values: np.rint(values))
def nearest_whole(values: Any) -> Any:
    """The whole number nearest to each float, the even one of two, as a float."""
    return Column([float(round(value)) for value in values.values])


def _replace(values: Any, rows: Any, others: Any) -> Any:
    result = values.copy()
    result[rows] = others
    return result


@numpy_form(_replace)
def replaced(values: Any, rows: Any, others: Any) -> Any:
    """A column with new values in some rows; where a row occurs twice, the last value counts."""
    result = values.values.copy()
    for row, value in zip(rows.values, others.values):
        result[row] = value
    return Column(result)


@numpy_form(lambda values: np.floor(values).astype(np.int64))
def floored(values: Any) -> Any:
    """The whole number at or below each float, which is less than 2^63."""
    return Column([math.floor(value) for value in values.values])


def mapped(function: Callable[..., float], *columns: Any) -> Any:
    """A function of `math` of each row, as floats; the same in both forms, to the last digit."""
    return floats(list(map(function, *(values.tolist() for values in columns))))


@numpy_form(lambda values: np.sin(values))
def sine(values: Any) -> Any:
    """The sine of each row; its last digits are the machine's."""
    return mapped(math.sin, values)


@numpy_form(lambda values: np.cos(values))
def cosine(values: Any) -> Any:
    """The cosine of each row; its last digits are the machine's."""
    return mapped(math.cos, values)


@numpy_form(lambda values: np.arcsin(values))
def arcsine(values: Any) -> Any:
    """The angle from 0 on of which each row is the sine; its last digits are the machine's."""
    return mapped(math.asin, values)


@numpy_form(lambda left, right: np.subtract.outer(left, right).reshape(-1))
def differences(left: Any, right: Any) -> Any:
    """Each row of one column minus every row of another."""
    return Column([one - other for one in left.values for other in right.values])


# ---------------------------------------------------------------------------------------------------------------------
# A number of a column
# ---------------------------------------------------------------------------------------------------------------------


@numpy_form(lambda values: values.min().item())
def least(values: Any) -> Any:
    """The least of one or more."""
    return min(values.values)


@numpy_form(lambda values, number: np.partition(values, number - 1)[number - 1].item())
def least_but(values: Any, number: int) -> Any:
    """The `number`-th least of at least as many."""
    return sorted(values.values)[number - 1]


@numpy_form(lambda values: values.max().item())
def greatest(values: Any) -> Any:
    """The greatest of one or more."""
    return max(values.values)


@numpy_form(lambda values: int(operator.index(values.sum())))
def total(values: Any) -> int:
    """The sum of whole numbers, or how many rows of a mask are true; TypeError for floats."""
    return sum(map(operator.index, values.values))


@numpy_form(lambda one, other: np.array_equal(one, other))
def equal(one: Any, other: Any) -> bool:
    """Whether two columns have the same rows."""
    return list(one) == list(other)


# ---------------------------------------------------------------------------------------------------------------------
# Sorting, groups and runs
# ---------------------------------------------------------------------------------------------------------------------


def _sums(groups: Any, values: Any, count: int) -> Any:
    sums = np.bincount(groups, values, count)
    return sums if values.dtype.kind == "f" else sums.astype(np.int64)


@numpy_form(_sums)
def sums_of(groups: Any, values: Any, count: int) -> Any:
    """The sum of each group 0 … count - 1, row after row; sums of whole numbers are below 2^53."""
    sums = [0] * count
    for group, value in zip(groups.values, values.values):
        sums[group] += value
    return Column(sums)


@numpy_form(lambda keys: np.lexsort(keys[::-1]))
def order(keys: Sequence[Any]) -> Any:
    """Places of rows in ascending order of the first key, then of the second, and so on; equal ones in given order."""
    rows = list(zip(*(key.values for key in keys)))
    return Column(sorted(range(len(rows)), key=rows.__getitem__))


def _smallest(values: Any, width: int, count: int) -> Any:
    rows = values.reshape(-1, width)
    chosen = np.argpartition(rows, count - 1, axis=1)[:, :count] if count < width else np.arange(width)
    return (np.arange(0, len(values), width)[:, None] + chosen).reshape(-1)


@numpy_form(_smallest)
def smallest(values: Any, width: int, count: int) -> Any:
    """The places of the `count` least values in each row of a given width, in any order; any of equal ones."""
    result = []
    for first in range(0, len(values), width):
        result += sorted(range(first, first + width), key=values.values.__getitem__)[:count]
    return Column(result)


@numpy_form(lambda values: np.unique(values, return_inverse=True))
def ranked(values: Any) -> tuple[Any, Any]:
    """The distinct values in ascending order, and the place of each row's value among them."""
    distinct = sorted(set(values.values))
    place = {value: number for number, value in enumerate(distinct)}
    return Column(distinct), Column([place[value] for value in values.values])


@numpy_form(lambda ascending, values, side: np.searchsorted(ascending, values, side))
def insertion(ascending: Any, values: Any, side: str) -> Any:
    """For each value, how many rows of an ascending column are less, or with the side "right" no greater."""
    place = bisect_left if side == "left" else bisect_right
    return Column([place(ascending.values, value) for value in values.values])


@numpy_form(lambda columns: np.append(True, np.any([each[1:] != each[:-1] for each in columns], axis=0)))
def changes(columns: Sequence[Any]) -> Any:
    """Whether each row, of one or more, is the first or differs from the row before it."""
    rows = list(zip(*(each.values for each in columns)))
    return Column([place == 0 or row != rows[place - 1] for place, row in enumerate(rows)])


@numpy_form(lambda starts: np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0)))
def run_starts(starts: Any) -> Any:
    """For each row, the place where its run of rows starts; every run starts where the mask is true."""
    result, latest = [], 0
    for place, start in enumerate(starts.values):
        latest = place if start else latest
        result.append(latest)
    return Column(result)


def _runs(starts: Any, values: Any) -> list[list[int]]:
    firsts = [place for place, start in enumerate(starts.values) if start]
    return [values.values[first:end] for first, end in zip(firsts, [*firsts[1:], len(starts)])]


@numpy_form(lambda starts, values: np.minimum.reduceat(values, np.flatnonzero(starts)))
def run_least(starts: Any, values: Any) -> Any:
    """The least value of each run."""
    return Column([min(run) for run in _runs(starts, values)])


@numpy_form(lambda starts, values: np.maximum.reduceat(values, np.flatnonzero(starts)))
def run_greatest(starts: Any, values: Any) -> Any:
    """The greatest value of each run."""
    return Column([max(run) for run in _runs(starts, values)])


# ---------------------------------------------------------------------------------------------------------------------
# Neighbors
# ---------------------------------------------------------------------------------------------------------------------

CROWD = 16  # points up to which every distance is computed


def _by_scipy(columns: Sequence[Any], count: int) -> tuple[Any, Any]:
    try:
        from scipy.spatial import KDTree  # imported here because hardly any certificate needs it
    except ImportError:
        return nearest.__wrapped__(columns, count)  # type: ignore[attr-defined, no-any-return]
    points = np.stack(columns, axis=1).astype(np.float64)
    far, near = KDTree(points).query(points, k=[*range(1, count + 1)], p=1)
    return far.astype(np.int64).ravel(), near.ravel()


@numpy_form(_by_scipy)
def nearest(columns: Sequence[Any], count: int) -> tuple[Any, Any]:
    """For each row, how far its `count` nearest rows are by the sum of differences, in ascending order, and which.

    Differences are whole numbers that sum to at most 2^53. What belongs to one row comes after what belongs to another.
    A row is at a distance of 0 from itself. Of rows as far away as the last one listed, any may be listed.
    """
    points = list(zip(*(value.tolist() for value in columns)))
    tree, turns, result = _halved(points, list(range(len(points)))), count_up(), []
    for here in points:
        best: list[tuple[int, int]] = []  # the farthest first
        waiting = [(0, 0, tree)]  # the nearest first
        while waiting and (len(best) < count or waiting[0][0] < -best[0][0]):
            _, _, (_, _, rows, halves) = heappop(waiting)
            for row in rows:
                far = sum(map(abs, map(operator.sub, here, points[row])))
                if len(best) < count:
                    heappush(best, (-far, row))
                elif far < -best[0][0]:
                    heapreplace(best, (-far, row))
            for half in halves:
                far = sum(max(low - value, value - high, 0) for low, value, high in zip(half[0], here, half[1]))
                heappush(waiting, (far, next(turns), half))
        result += sorted((-far, row) for far, row in best)
    return column([far for far, _ in result]), column([row for _, row in result])


def _halved(points: Sequence[tuple[int, ...]], rows: list[int]) -> Any:
    """The corners of a box around some points; and the points, or its two halves where there are many."""
    low, high = (tuple(map(extreme, zip(*(points[row] for row in rows)))) for extreme in (min, max))
    if len(rows) <= CROWD:
        return low, high, rows, ()
    widest = max(range(len(low)), key=lambda place: high[place] - low[place])
    rows, middle = sorted(rows, key=lambda row: points[row][widest]), len(rows) // 2
    return low, high, (), (_halved(points, rows[:middle]), _halved(points, rows[middle:]))


# ---------------------------------------------------------------------------------------------------------------------
# NumPy's default generator, written out: SeedSequence, PCG64 (XSL-RR 128/64, O'Neill 2014), Fisher and Yates
# ---------------------------------------------------------------------------------------------------------------------

_32, _64, _128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645


def _hashed(value: int, constant: list[int], factor: int) -> int:
    value ^= constant[0]
    constant[0] = constant[0] * factor & _32
    value = value * constant[0] & _32
    return value ^ value >> 16


def _seeded(seed: int) -> list[int]:
    """Four words of 64 bits from a seed."""
    words = [seed >> shift & _32 for shift in range(0, max(seed.bit_length(), 1), 32)]
    constant = [0x43B0D7E5]
    pool = [_hashed(word, constant, 0x931E8875) for word in (words + [0] * 4)[:4]]
    sources = [(place, into) for place in range(4) for into in range(4) if into != place]
    for place, into in sources + [(place, into) for place in range(4, len(words)) for into in range(4)]:
        word = _hashed(pool[place] if place < 4 else words[place], constant, 0x931E8875)
        value = 0xCA01F9DD * pool[into] - 0x4973F715 * word & _32
        pool[into] = value ^ value >> 16
    constant = [0x8B51F9DD]
    state = [_hashed(pool[place % 4], constant, 0x58F38DED) for place in range(8)]
    return [state[place] | state[place + 1] << 32 for place in range(0, 8, 2)]


@numpy_form(lambda seed, count: np.random.default_rng(seed).permutation(count).tolist())
def permutation(seed: int, count: int) -> list[int]:
    """The order of 0 … count - 1 that NumPy's default generator gives from a seed."""
    high, low, *stream = _seeded(seed)
    increment = (stream[0] << 64 | stream[1]) << 1 & _128 | 1
    state = ((increment + (high << 64 | low)) * _MULTIPLIER + increment) & _128
    waiting: list[int] = []  # a word of 64 bits is handed out as two, the low one first

    def word() -> int:
        nonlocal state
        if waiting:
            return waiting.pop()
        state = (state * _MULTIPLIER + increment) & _128
        value, turn = (state >> 64) ^ (state & _64), state >> 122
        value = value >> turn | value << (64 - turn) & _64
        waiting.append(value >> 32)
        return value & _32

    items = list(range(count))
    for last in range(count - 1, 0, -1):
        mask = (1 << last.bit_length()) - 1
        chosen = word() & mask
        while chosen > last:
            chosen = word() & mask
        items[last], items[chosen] = items[chosen], items[last]
    return items
