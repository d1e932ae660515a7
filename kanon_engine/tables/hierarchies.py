"""Hierarchies made from the values of a column: codes by their characters, dates, numbers, or by another column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.tree import ROOT, Tree
from kanon_engine.model.values import Value, column_values, is_number, range_name, shown, value_words
from kanon_engine.validate import require_known_name, told

MOST_RANGES = 40  # of the lowest level of ranges
FEWEST = 5  # the least difference of numbers for which ranges are offered
MOST_LEVELS = 12  # numbers on both sides of 0 are never in one range
ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ][\d:.]*)?")
DOTS = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
SLASHES = re.compile(r"(\d\d?)/(\d\d?)/(\d{4})")


def code_tree(values: Sequence[Value]) -> Tree:
    """Codes such as zip codes, with one character less at each level.

    Numbers are codes that lost their leading zeros. A shorter code stays itself until the others are as short.

    >>> tree = code_tree([47678, 47602, 2139])
    >>> [tree.label(low, high) for low, high in tree.nodes.tolist()]
    ['2139', '*', '47602', '476**', '47678']
    """
    present = [value for value in _distinct(values) if value is not None]
    texts = {value: value_words(value).strip() for value in present}
    longest = max((len(text) for text in texts.values()), default=0)
    if present and all(isinstance(value, int) and is_number(value) and value >= 0 for value in present):
        texts = {value: text.zfill(longest) for value, text in texts.items()}
    rows: list[list[Any]] = []
    for value, text in sorted(texts.items(), key=lambda entry: entry[1]):
        rows.append([value, *(text[:length].ljust(longest, "*") for length in range(longest - 1, 0, -1)), ROOT])
    return _finished(values, rows)


def date_tree(values: Sequence[Value], *, decades: bool = True) -> Tree:
    """Dates: day, month, quarter, year, 2 or 3 years, 5 years, 10 years, and runs of decades, repeatedly halved.

    No group above a year has more than three parts. A cut along a tree makes a class of each part of a group, so a
    group of many years could not be cut if one of them had fewer than k records.

    `decades`: whether there are groups above the year, which older versions lacked.

    >>> tree = date_tree(["2023-05-31", "2023-04-02", "1984-01-09"])
    >>> tree.rows[0]
    ['1984-01-09', '1984-01', '1984 Q1', '1984', '1982–1984', '1980–1984', '1980–1989', '*']
    >>> date_tree(["2023-05-31", "2023-04-02"], decades=False).rows[0]
    ['2023-04-02', '2023-04', '2023 Q2', '2023', '*']
    """
    present = [value for value in _distinct(values) if value is not None]
    months = {value: _month(value) for value in present}
    slashed = {value: match for value in present if (match := SLASHES.fullmatch(str(value).strip()))}
    if slashed:
        first = any(int(match[1]) > 12 for match in slashed.values())
        second = any(int(match[2]) > 12 for match in slashed.values())
        if first == second:
            raise InvalidInput(
                f"It is unclear whether dates such as “{next(iter(slashed))}” start with the month or the day; write "
                "dates as 2023-05-31."
            )
        for value, match in slashed.items():
            months[value] = int(match[3]), int(match[2] if first else match[1]), int(match[1] if first else match[2])
    days: dict[Value, tuple[int, int, int]] = {}
    for value, month in months.items():
        if month is None or not (1 <= month[1] <= 12 and 1 <= month[2] <= 31):
            raise InvalidInput(
                f"“{value_words(value)}” is not a date like 2023-05-31, 31.5.2023 or 5/31/2023; correct it."
            )
        days[value] = month
    above = _groups_of_years([year for year, _, _ in days.values()]) if decades else {}
    rows: list[list[Any]] = []
    for day, (year, number, _) in sorted(days.items(), key=lambda entry: entry[1]):
        rows.append([day, f"{year}-{number:02}", f"{year} Q{(number + 2) // 3}", f"{year}", *above.get(year, ()), ROOT])
    return _finished(values, rows)


def _groups_of_years(years: Sequence[int]) -> dict[int, list[str]]:
    """The names of the groups of each year, the smallest first; `years` has one for each date."""
    runs = _halved(Counter(year // 10 for year in years))
    names = {}
    for year in set(years):
        lustrum, decade = year // 5 * 5, year // 10 * 10
        few = (lustrum, lustrum + 1) if year < lustrum + 2 else (lustrum + 2, lustrum + 4)
        spans = [few, (lustrum, lustrum + 4), (decade, decade + 9)]
        spans += [(first * 10, last * 10 + 9) for first, last in runs[year // 10]]
        names[year] = [f"{first}–{last}" for first, last in spans]
    return names


def _halved(sizes: Mapping[int, int]) -> dict[int, list[tuple[int, int]]]:
    """For each number the runs that it is in, the smallest first: all are halved by size until each is alone.

    The run of all is left out, and so is the last one, of a single number. Each number has the same number of runs.

    >>> _halved({1: 5, 2: 5, 3: 5, 4: 5})
    {1: [(1, 2)], 2: [(1, 2)], 3: [(3, 4)], 4: [(3, 4)]}
    """
    runs: dict[int, list[tuple[int, int]]] = {number: [] for number in sorted(sizes)}
    open_runs = [list(runs)]
    while any(len(run) > 1 for run in open_runs):
        halves = []
        for run in open_runs:
            upto = np.cumsum([sizes[number] for number in run])
            cut = int(np.abs(2 * upto[:-1] - upto[-1]).argmin()) + 1 if len(run) > 1 else 1
            halves += [part for part in (run[:cut], run[cut:]) if part]
        open_runs = halves
        for run in open_runs:
            for number in run:
                runs[number].insert(0, (run[0], run[-1]))
    return {number: nested[1:] for number, nested in runs.items()}


def _month(value: Value) -> tuple[int, int, int] | None:
    """Year, month and day of a date that is unambiguous by itself."""
    text = str(value).strip()
    iso, dots = ISO.fullmatch(text), DOTS.fullmatch(text)
    if iso:
        return int(iso[1]), int(iso[2]), int(iso[3])
    return (int(dots[3]), int(dots[2]), int(dots[1])) if dots else None


def number_tree(values: Sequence[Value]) -> Tree:
    """Numbers in ranges with round limits, nested: of 5, 10, 50, 100, …, as many levels as the column needs.

    >>> tree = number_tree([17, 21, 24, 38, 90])
    >>> [tree.label(low, high) for low, high in tree.nodes.tolist()]
    ['17', '0–49', '0–99', '21', '20–24', '24', '38', '90']
    """
    present: list[Any] = sorted(value for value in _distinct(values) if value is not None and is_number(value))
    odd = [value for value in _distinct(values) if value is not None and not is_number(value)]
    if odd:
        raise InvalidInput(
            f"“{value_words(odd[0])[:40]}” is not a number, so it cannot be put into a range; correct it."
        )
    whole = all(isinstance(value, int) for value in present)
    exact = {value: Decimal(str(value)) for value in present}
    span = exact[present[-1]] - exact[present[0]] if present else Decimal(0)
    widths: list[Decimal] = []
    power = (span / MOST_RANGES).adjusted() if span else 0
    width = Decimal(1).scaleb(power)
    while span and len(widths) < MOST_LEVELS and not (widths and _together(exact.values(), widths[-1])):
        if width * MOST_RANGES >= span and (not whole or width > 1):
            widths.append(width)
        width *= 2 if width.normalize().as_tuple().digits == (5,) else 5
    rows: list[list[Any]] = []
    for value in present:
        names = [range_name(_plain(_floor(exact[value], step) * step), _plain(step), whole) for step in widths]
        rows.append([value, *names, ROOT])
    return _finished(values, rows)


def _together(numbers: Iterable[Decimal], width: Decimal) -> bool:
    """Whether one range holds them all."""
    return len({_floor(number, width) for number in numbers}) == 1


def _floor(number: Decimal, step: Decimal) -> Decimal:
    return (number / step).to_integral_value(ROUND_FLOOR)


def _plain(number: Decimal) -> float:
    return int(number) if number == number.to_integral_value() else float(number)


def column_tree(values: Sequence[Value], groups: Sequence[Value]) -> Tree:
    """Values in the groups given by a second column of the same records, such as cities in states.

    >>> column_tree(["Akron", "Gary", "Toledo", "Akron"], ["Ohio", "Indiana", "Ohio", "Ohio"]).label(1, 2)
    'Ohio'
    """
    group_of: dict[Value, Value] = {}
    for value, group in zip(values, groups, strict=True):
        if group_of.setdefault(value, group) != group and value is not None:
            one, two = value_words(group_of[value]), value_words(group)
            raise InvalidInput(
                f"“{value_words(value)}” occurs with “{one}” and with “{two}”; give each value one group."
            )
    ordered = sorted(
        (value for value in group_of if value is not None), key=lambda value: (str(group_of[value]), str(value))
    )
    return _finished(values, [[value, "" if group_of[value] is None else group_of[value], ROOT] for value in ordered])


GROWN: Mapping[str, Callable[[Sequence[Value]], Tree]] = {
    "characters": code_tree,
    "dates": date_tree,
    "ranges": number_tree,
}


def guessed_way(values: Sequence[Value]) -> str | None:
    """Which of `GROWN` fits a column; None where none does.

    >>> guessed_way(["47678", "02139", "10001"]), guessed_way(["2023-05-31", "2024-01-09"]), guessed_way([17, 90])
    ('characters', 'dates', 'ranges')
    >>> guessed_way([47678, 12139, 10001]), guessed_way(["f", "m"])
    ('characters', None)
    """
    present = [value for value in _distinct(values) if value is not None]
    if len(present) < 2:
        return None
    if all(_month(value) is not None or SLASHES.fullmatch(str(value).strip()) for value in present):
        return "dates"
    texts = [str(value).strip() for value in present]
    if len({len(text) for text in texts}) == 1 and len(texts[0]) >= 4 and all(text.isdigit() for text in texts):
        years = len(texts[0]) == 4 and all(1800 <= int(text) <= 2100 for text in texts)
        return "ranges" if years and all(map(is_number, present)) else "characters"
    numbers: list[Any] = [value for value in present if is_number(value)]
    return "ranges" if len(numbers) == len(present) and max(numbers) - min(numbers) > FEWEST else None


def _distinct(values: Sequence[Value]) -> list[Value]:
    return list(dict.fromkeys(values))


def _finished(values: Sequence[Value], rows: list[list[Any]]) -> Tree:
    if not rows:
        raise InvalidInput("The column holds no values, so it has no hierarchy; leave it out.")
    tree = Tree.from_levels(rows)
    return tree.with_missing() if None in values else tree


# ---------------------------------------------------------------------------------------------------------------------
# Top and bottom coding: one category for all numbers beyond a limit, where tails are thin.
# ---------------------------------------------------------------------------------------------------------------------


TAIL = re.compile(r"([≥≤]) (−?[\d.]+)")
STEPS = 20  # steps, about, that the span of a column is divided into to find a round limit


def checked_limits(limits: Any, what: str, columns: Sequence[str]) -> dict[str, float]:
    """The limit of each column, or `InvalidInput`; `what` is "top" or "bottom".

    >>> checked_limits({"age": 85}, "top", ["age"])
    {'age': 85}
    """
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise InvalidInput(f'The {what} is {told(limits)}; give a number for each column, such as {{"age": 85}}.')
    for name, number in limits.items():
        require_known_name(list(columns), name, what)
        if not is_number(number) or not abs(number) < float("inf"):
            raise InvalidInput(f"The {what} of {name!r} is {told(number)}; give a number.")
    return {str(name): number for name, number in limits.items()}


def tail_name(sign: str, limit: float) -> str:
    """The name of a tail.

    >>> tail_name("≥", 85), tail_name("≤", -2.5)
    ('≥ 85', '≤ −2.5')
    """
    return f"{sign} {shown(limit)}"


def coded_tails(column: pd.Series, bottom: float | None, top: float | None) -> tuple[pd.Series, dict[str, list[bool]]]:
    """Which cells are in which tail, by its name, and the column without them.

    `column`: numbers; missing ones stay missing. `bottom`, `top`: numbers up to `bottom`, and from `top` on.

    >>> rest, tails = coded_tails(pd.Series([17, 90, 40, 85], name="age"), None, 85)
    >>> rest.tolist(), tails
    ([17, None, 40, None], {'≥ 85': [False, True, False, True]})
    """
    values: list[Any] = column_values(column)
    odd = next((value for value in values if value is not None and not is_number(value)), None)
    if odd is not None:
        raise InvalidInput(
            f"“{column.name}” holds “{value_words(odd)[:40]}”, which is not a number, so this column can "
            "have no top or bottom category; leave these categories out, or correct the column."
        )
    if bottom is not None and top is not None and bottom >= top:
        raise InvalidInput(
            f"The bottom of {column.name!r} is {bottom:g} and its top is {top:g}; choose a lower bottom."
        )
    tails = {}
    if bottom is not None:
        tails[tail_name("≤", bottom)] = [value is not None and value <= bottom for value in values]
    if top is not None:
        tails[tail_name("≥", top)] = [value is not None and value >= top for value in values]
    inner = [None if any(cells[place] for cells in tails.values()) else value for place, value in enumerate(values)]
    return pd.Series(inner, index=column.index, name=column.name, dtype=object), tails


def require_aligned(name: str, ranges: tuple[float, float], bottom: float | None, top: float | None) -> None:
    """Ranges end where a tail begins, or `InvalidInput`."""
    start, width = ranges
    for what, limit, edge in (("top", top, top), ("bottom", bottom, None if bottom is None else bottom + 1)):
        if edge is None:
            continue
        steps = (Decimal(str(edge)) - Decimal(str(start))) / Decimal(str(width))
        if steps != steps.to_integral_value():
            moved = 1 if what == "bottom" else 0
            near = [
                shown(float(Decimal(str(start)) + whole * Decimal(str(width))) - moved)
                for whole in (steps.to_integral_value(ROUND_FLOOR), steps.to_integral_value(ROUND_CEILING))
            ]
            raise InvalidInput(
                f"The {what} of {name!r} is {shown(limit or 0)}, which is within a range of this column; choose "
                f"{' or '.join(text.removesuffix('.0') for text in near)}."
            )


def number_of(value: Value) -> Any:
    """A number, or the limit of a tail; None for all else.

    >>> number_of(17), number_of("≥ 85"), number_of("≤ −2.5"), number_of("Masters")
    (17, 85, -2.5, None)
    """
    if is_number(value):
        return value
    match = TAIL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    number = float(match[2].replace("−", "-"))
    return int(number) if number.is_integer() else number


def thin_tails(values: Sequence[Value], k: int) -> tuple[float | None, float | None]:
    """A bottom and a top to offer: round limits that at least k records reach, and 1 to k − 1 exceed by a step.

    >>> thin_tails([*range(20, 60), *range(20, 60), 71, 74, 99], 5)
    (None, 55)
    """
    numbers: list[Any] = sorted(value for value in values if is_number(value))
    if len(numbers) < 2 * k or numbers[0] == numbers[-1]:
        return None, None
    exact = [Decimal(str(number)) for number in numbers]
    least = (exact[-1] - exact[0]) / STEPS
    power = Decimal(1).scaleb(least.adjusted())
    step = next(width for width in (power, 2 * power, 5 * power, 10 * power) if width >= least)
    whole = all(isinstance(number, int) for number in numbers)
    if whole:
        step = max(step, Decimal(1))
    top = (exact[-k] / step).to_integral_value(ROUND_FLOOR) * step
    edge = ((exact[k - 1] / step).to_integral_value(ROUND_FLOOR) + 1) * step
    bottom = edge - 1 if whole else edge
    above, below = sum(number >= top + step for number in exact), sum(number < edge - step for number in exact)
    return (
        _plain(bottom) if 0 < below < k and bottom < top else None,
        _plain(top) if 0 < above < k and bottom < top else None,
    )
