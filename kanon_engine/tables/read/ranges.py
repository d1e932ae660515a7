"""Numbers put into ranges of equal width before anything else is done with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.tables.domain import column_values
from kanon_engine.tables.ranges import range_name
from kanon_engine.validate import known_column, told


def checked_bins(bins: Any, columns: list[str]) -> dict[str, tuple[float, float]]:
    """For each column where the first range begins and how wide all are, or `InvalidInput`.

    Example
    -------
    >>> checked_bins({"age": 5, "pay": (17, 10)}, ["age", "pay"])
    {'age': (0, 5), 'pay': (17, 10)}
    """
    if bins is None:
        return {}
    if not isinstance(bins, Mapping):
        raise InvalidInput(f'The ranges are {bins!r}; give a width for each column, as {{"age": 5}}.')
    result = {}
    for name, entry in bins.items():
        known_column(columns, name, "ranges")
        start, width = entry if isinstance(entry, tuple | list) and len(entry) == 2 else (0, entry)
        if not all(_finite(number) for number in (start, width)) or width <= 0:
            raise InvalidInput(
                f"The ranges of {name!r} are {told(entry)}; give a width above 0, or where the first range begins and "
                "such a width."
            )
        result[name] = (start, width)
    return result


def parsed_range(text: str) -> float | tuple[float, float]:
    """What a person writes for ranges: a width, or the first range's beginning and the width.

    Example
    -------
    >>> parsed_range("5"), parsed_range("17:5"), parsed_range("0 : 0.5")
    (5, (17, 5), (0, 0.5))
    """
    try:
        numbers = [_parsed(part) for part in text.split(":")]
    except (ValueError, OverflowError):
        numbers = []
    if len(numbers) not in (1, 2):
        raise InvalidInput(f"{text!r} is no range; write a width as 5, or the first beginning and the width as 17:5.")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _parsed(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _finite(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)


def in_ranges(column: pd.Series, start: float, width: float) -> tuple[pd.Series, list[str | None]]:
    """The name of each number's range, and the names in order.

    Parameters
    ----------
    column : Series
        Numbers; missing ones stay missing.
    start, width : float
        Range i goes from start + i · width to below start + (i + 1) · width.

    Raises
    ------
    InvalidInput
        The column does not hold numbers alone.

    Example
    -------
    >>> ages = pd.Series([17, 90, 21, 22], name="age")
    >>> in_ranges(ages, 17, 5)
    (0    17–21
    1    87–91
    2    17–21
    3    22–26
    Name: age, dtype: object, ['17–21', '22–26', '87–91'])
    """
    values = column_values(column)
    odd = next((value for value in values if isinstance(value, str | bool)), None)
    if odd is not None:
        raise InvalidInput(
            f"“{column.name}” holds “{str(odd)[:40]}”, which is no number, so it has no ranges; leave its ranges out, "
            "or correct the column."
        )
    known: list[Any] = [value for value in values if value is not None]
    whole = all(isinstance(value, int) for value in [*known, start, width])
    numbers = {value: math.floor((value - start) / width) for value in set(known)}
    names = {place: range_name(start + place * width, width, whole) for place in sorted(set(numbers.values()))}
    labels = [None if value is None else names[numbers[value]] for value in values]
    return pd.Series(labels, index=column.index, name=column.name, dtype=object), list(names.values())
