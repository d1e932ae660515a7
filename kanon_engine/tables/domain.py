"""The values of a column, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import Value
from kanon_engine.tables.ranges import shown

MISSING = "missing"


def column_values(column: pd.Series) -> list[Value]:
    """Every cell as a plain value; a missing one is None, a whole number an int, what is no number or text its text."""
    if pd.api.types.is_object_dtype(column):  # 1 and True are equal there
        return [plain_value(value) for value in column.tolist()]
    codes, found = pd.factorize(column, use_na_sentinel=False)
    values = [plain_value(value) for value in pd.Series(found).astype(object).tolist()]  # made once for equal cells
    return [values[code] for code in codes.tolist()]


def plain_value(value: Any) -> Value:
    """One cell; a missing one is None, a whole number an int, what is no number or text its text."""
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

    Example
    -------
    >>> value_words(17), value_words("Masters"), value_words(None)
    ('17', 'Masters', 'missing')
    """
    if value is None:
        return MISSING
    return shown(value) if is_number(value) else str(value)  # type: ignore[arg-type]


def is_number(value: Value) -> bool:
    """Whether a value can be calculated with."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def domain_of(name: str, column: pd.Series, values: list[Value], order: Sequence[Any] | None) -> tuple[Value, ...]:
    """The values of a column in the order of its domain.

    Parameters
    ----------
    name : str
        The column, for sentences.
    column : Series
        Ordered categories keep their order.
    values : list
        Its cells as plain values.
    order : sequence, optional
        The order that a person gives.

    Returns
    -------
    tuple
        Each value once; None, for missing cells, last unless the order says otherwise.

    Raises
    ------
    InvalidInput
        The order lacks a value that occurs, or names one twice.
    """
    found = dict.fromkeys(values)
    if any(isinstance(value, float) and np.isinf(value) for value in found):
        raise InvalidInput(f"The column {name!r} holds an infinite number; correct it or leave it empty.")
    if order is None and isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        order = column.dtype.categories.tolist()
    if order is None:
        known: list[Any] = [value for value in found if value is not None]
        numbers = all(isinstance(value, int | float) for value in known)
        domain: list[Value] = sorted(known) if numbers else sorted(known, key=str)
    else:
        if isinstance(order, str) or not isinstance(order, Sequence | np.ndarray):
            raise InvalidInput(f"The order of {name!r} is {order!r}; give a list of its values.")
        domain = [plain_value(value) for value in order]
        held = set(domain)
        if len(held) < len(domain):
            repeated = next(value for place, value in enumerate(domain) if value in domain[:place])
            raise InvalidInput(f"The order of {name!r} names {repeated!r} twice; name each value once.")
        lacking = [value for value in found if value is not None and value not in held]
        if lacking:
            rows = sum(value == lacking[0] for value in values)
            raise InvalidInput(
                f"The order of {name!r} lacks {lacking[0]!r}, which stands in {rows:,} rows; add it to the order."
            )
    if None in found and None not in domain:
        domain = [*domain, None]
    return tuple(domain)
