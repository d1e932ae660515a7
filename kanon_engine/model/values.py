"""The values of a column, and their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.words import counted

Value = str | int | float | bool | None
MISSING, ANY = "missing", "any"  # text of cells that are empty, or may represent anything


def column_values(column: pd.Series) -> list[Value]:
    """Every cell as a plain value; a missing one is None, a whole number an int, other types their text."""
    if pd.api.types.is_object_dtype(column):  # 1 and True are equal there
        return [plain_value(value) for value in column.tolist()]
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    values = [plain_value(value) for value in pd.Series(distinct).astype(object).tolist()]  # made once for equal cells
    return [values[code] for code in codes.tolist()]


def plain_value(value: Any) -> Value:
    """One cell; a missing one is None, a whole number an int, other types their text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool | int):
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float):
        if np.isnan(value):
            return None
        return int(value) if value.is_integer() else value
    return str(value)


def value_words(value: Value) -> str:
    """One value in words.

    >>> value_words(17), value_words("Masters"), value_words(None)
    ('17', 'Masters', 'missing')
    """
    if value is None:
        return MISSING
    return shown(value) if is_number(value) else str(value)  # type: ignore[arg-type]


def is_number(value: Value) -> bool:
    """Whether a value is a number for calculations."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def domain_of(name: str, column: pd.Series, values: list[Value], order: Sequence[Any] | None) -> tuple[Value, ...]:
    """The values of a column in the order of its domain.

    Each value once; None for missing cells, last unless the order says otherwise.

    Parameters
    ----------
    name : The column's name, for sentences.
    column : Ordered categories keep their order.
    values : Its cells as plain values.
    order : A person's order.
    """
    distinct = dict.fromkeys(values)
    if any(isinstance(value, float) and np.isinf(value) for value in distinct):
        raise InvalidInput(f"The column {name!r} holds an infinite number; correct it or leave it empty.")
    if order is None and isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        order = column.dtype.categories.tolist()
    if order is None:
        present: list[Any] = [value for value in distinct if value is not None]
        numbers = all(isinstance(value, int | float) for value in present)
        domain: list[Value] = sorted(present) if numbers else sorted(present, key=str)
    else:
        if isinstance(order, str) or not isinstance(order, Sequence | np.ndarray):
            raise InvalidInput(f"The order of {name!r} is {order!r}; give a list of its values.")
        domain = [plain_value(value) for value in order]
        members = set(domain)
        if len(members) < len(domain):
            repeated = next(value for place, value in enumerate(domain) if value in domain[:place])
            raise InvalidInput(f"The order of {name!r} lists {repeated!r} twice; list each value once.")
        lacking = [value for value in distinct if value is not None and value not in members]
        if lacking:
            rows = sum(value == lacking[0] for value in values)
            raise InvalidInput(
                f"The order of {name!r} lacks {lacking[0]!r}, which is in {counted(rows, 'row')}; add it to the order."
            )
    if None in distinct and None not in domain:
        domain = [*domain, None]
    return tuple(domain)


# ---------------------------------------------------------------------------------------------------------------------
# The names of ranges of numbers.
# ---------------------------------------------------------------------------------------------------------------------


LABEL = re.compile(r"(−?[\d.]+)(?:–| to under )(−?[\d.]+)")


def range_name(low: float, width: float, whole: bool) -> str:
    """The name of a range of numbers, with its first and last number if all are whole.

    >>> range_name(17, 5, True), range_name(17, 1, True), range_name(0, 0.5, False)
    ('17–21', '17', '0 to under 0.5')
    """
    if not whole:
        return f"{shown(low)} to under {shown(low + width)}"
    return shown(low) if width == 1 else f"{shown(low)}–{shown(low + width - 1)}"


def shown(number: float) -> str:
    """A number as people write it.

    >>> shown(17), shown(-2.50), shown(0.1 + 0.2)
    ('17', '−2.5', '0.3')
    """
    text = str(number) if isinstance(number, int) else f"{number:.10g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def joined(first: str, last: str) -> str | None:
    """The name of the span from one range to another; None if these are not ranges.

    >>> joined("17–21", "22–26"), joined("0 to under 0.5", "1 to under 1.5"), joined("Masters", "Doctorate")
    ('17–26', '0 to under 1.5', None)
    >>> joined("80–84", "≥ 85"), joined("≤ 19", "20–24")
    ('≥ 80', '≤ 24')
    """
    low, high = LABEL.fullmatch(first), LABEL.fullmatch(last)
    if low and last.startswith("≥ "):
        return f"≥ {low[1]}"
    if high and first.startswith("≤ "):
        return f"≤ {high[2]}" if "–" in last else f"under {high[2]}"
    if low is None or high is None:
        return None
    return f"{low[1]}–{high[2]}" if "–" in last else f"{low[1]} to under {high[2]}"


# ---------------------------------------------------------------------------------------------------------------------
# Intervals of numbers in words that end at round numbers, so that no end is a record's own number.
# ---------------------------------------------------------------------------------------------------------------------


Number = int | float
DIGITS = 400  # enough for every float and for whole numbers of any table


def limit_between(low: Number, high: Number, rare: tuple[bool, bool] = (False, False), whole: bool = True) -> Number:
    """The roundest number above `low` and not above `high`: a cut between two neighboring values.

    Whole numbers as int. Between neighbors of which one is rare it may be a fraction.

    Parameters
    ----------
    low, high : Values that occur, low < high, and none between them.
    rare : Whether only one record has `low`, or `high`: the cut then does not show that value.
    whole : Whether all values are whole numbers, so that the interval below a cut c ends at c − 1.

    >>> limit_between(38, 61), limit_between(38, 39), limit_between(38, 39, (True, False)), limit_between(0.12, 0.47)
    (50, 39, 38.5, 0.4)
    >>> limit_between(-7, 3), limit_between(17, 40, (False, True)), limit_between(99, 104, (True, True))
    (0, 20, 102)
    """
    with localcontext() as context:
        context.prec = DIGITS
        below, above = Decimal(str(low)), Decimal(str(high))
        power = max(below.adjusted(), above.adjusted()) + 1
        while True:
            for step in (Decimal(1).scaleb(power), Decimal(5).scaleb(power - 1), Decimal(2).scaleb(power - 1)):
                last = (above / step).to_integral_value(ROUND_FLOOR) * step
                for cut in (last, last - step):
                    if below < cut <= above and _names_none(cut, below, above, rare, whole):
                        return int(cut) if cut == cut.to_integral_value() else float(cut)
            power -= 1


def _names_none(cut: Decimal, low: Decimal, high: Decimal, rare: tuple[bool, bool], whole: bool) -> bool:
    """Whether neither the cut nor, for whole numbers, the end below it is a rare value."""
    ends_at_low = whole and cut == cut.to_integral_value() and cut - 1 == low
    return not (rare[1] and cut == high) and not (rare[0] and ends_at_low)


def limit_words(low: Number | None, high: Number | None, whole: bool) -> str:
    """The numbers from `low` to below `high`; None for no limit.

    >>> limit_words(None, 40, True), limit_words(40, 60, True), limit_words(60, None, True)
    ('≤ 39', '40–59', '≥ 60')
    >>> limit_words(None, 0.4, False), limit_words(38.5, 60, True), limit_words(-10, 0, True)
    ('under 0.4', '38.5 to under 60', '−10 to −1')
    """
    if low is None:
        return (
            "not missing" if high is None else f"≤ {shown(high - 1)}" if _ends(high, whole) else f"under {shown(high)}"
        )
    if high is None:
        return f"≥ {shown(low)}"
    if not (_ends(low, whole) and _ends(high, whole)):
        return f"{shown(low)} to under {shown(high)}"
    return f"{shown(low)}{' to ' if low < 0 else '–'}{shown(high - 1)}"


def _ends(number: Number, whole: bool) -> bool:
    return whole and isinstance(number, int)
