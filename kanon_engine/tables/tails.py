"""Top and bottom coding: one category for all numbers from a limit on, where tails are thin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.tables.domain import Value, column_values, is_number, value_words
from kanon_engine.tables.ranges import shown
from kanon_engine.validate import known_column, told

TAIL = re.compile(r"([≥≤]) (−?[\d.]+)")
STEPS = 20  # into about so many steps the span of a column is divided to find a round limit


def checked_limits(limits: Any, what: str, columns: Sequence[str]) -> dict[str, float]:
    """The limit of each column, or `InvalidInput`; `what` is "top" or "bottom".

    Example
    -------
    >>> checked_limits({"age": 85}, "top", ["age"])
    {'age': 85}
    """
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise InvalidInput(f'The {what} is {told(limits)}; give a number for each column, as {{"age": 85}}.')
    for name, number in limits.items():
        known_column(list(columns), name, what)
        if not is_number(number) or not abs(number) < float("inf"):
            raise InvalidInput(f"The {what} of {name!r} is {told(number)}; give a number.")
    return {str(name): number for name, number in limits.items()}


def tail_name(sign: str, limit: float) -> str:
    """What a tail is called.

    Example
    -------
    >>> tail_name("≥", 85), tail_name("≤", -2.5)
    ('≥ 85', '≤ −2.5')
    """
    return f"{sign} {shown(limit)}"


def coded_tails(column: pd.Series, bottom: float | None, top: float | None) -> tuple[pd.Series, dict[str, list[bool]]]:
    """Which cells are in which tail, by its name, and the column without them.

    Parameters
    ----------
    column : Series
        Numbers; missing ones stay missing.
    bottom, top : number or None
        Numbers up to `bottom`, and from `top` on.

    Example
    -------
    >>> rest, tails = coded_tails(pd.Series([17, 90, 40, 85], name="age"), None, 85)
    >>> rest.tolist(), tails
    ([17, None, 40, None], {'≥ 85': [False, True, False, True]})
    """
    values: list[Any] = column_values(column)
    odd = next((value for value in values if value is not None and not is_number(value)), None)
    if odd is not None:
        raise InvalidInput(
            f"“{column.name}” holds “{value_words(odd)[:40]}”, which is no number, so it has no top or bottom; leave "
            "them out, or correct the column."
        )
    if bottom is not None and top is not None and bottom >= top:
        raise InvalidInput(f"The bottom of {column.name!r} is {bottom:g} and its top {top:g}; take a lower bottom.")
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
                f"The {what} of {name!r} is {shown(limit or 0)}, which lies within one of its ranges; take "
                f"{' or '.join(text.removesuffix('.0') for text in near)}."
            )


def number_of(value: Value) -> Any:
    """A number, or the limit of a tail; None for all else.

    Example
    -------
    >>> number_of(17), number_of("≥ 85"), number_of("≤ −2.5"), number_of("Masters")
    (17, 85, -2.5, None)
    """
    if is_number(value):
        return value
    found = TAIL.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    number = float(found[2].replace("−", "-"))
    return int(number) if number.is_integer() else number


def thin_tails(values: Sequence[Value], k: int) -> tuple[float | None, float | None]:
    """A bottom and a top to offer: round limits that at least k records reach, where 1 to k − 1 go a step further.

    Example
    -------
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


def _plain(number: Decimal) -> float:
    return int(number) if number == number.to_integral_value() else float(number)
