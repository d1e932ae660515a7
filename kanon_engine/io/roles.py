"""Which columns of a table identify, could be linked, are sensitive, or are none of these."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.io.role_names import (
    LABELS,
    MEASURES,
    PLACES,
    QUASI_IDENTIFIERS,
    SENSITIVE,
    named_as,
    named_identifier,
    plain_name,
)

ROLES = ("identifier", "quasi-identifier", "sensitive", "class label", "other")
MOST_VALUES = 100  # of a guessed quasi-identifier
MOST_LABELS = 20
NEARLY_ALL = 0.9  # share of rows with a value of their own from which a column identifies
FEWEST_DIGITS = 6  # of numbers that are all as long as each other, as those of accounts


@dataclass(frozen=True)
class Guess:
    """What a column may be, for a person to confirm.

    Attributes
    ----------
    role : str
    reason : str
        Why, as words that follow the name of the column.
    asked : bool
        Whether nobody but a person can tell what it is; until then it is left out.
    """

    role: str
    reason: str
    asked: bool = False


def guesses(frame: pd.DataFrame, dates: Collection[str] = ()) -> dict[str, Guess]:
    """A role for each column with its reason, by its name and by how many values it has.

    A name decides first. Dates of people's lives are known to others, however many there are. A column identifies
    when nearly every row has a value of its own, unless it holds numbers that may be a measure, such as an income: then
    a person is asked. So it is with more than a hundred values, since rare values lead to persons: that is no
    quasi-identifier without ranges or an order. A column with one value is of no consequence. The rest could be linked
    with other data.

    Parameters
    ----------
    frame : DataFrame
    dates : collection of str
        The columns that hold dates.

    Example
    -------
    >>> rows = {"id": [4, 8, 2, 9], "sex": ["m", "f", "f", "m"], "age": [3, 7, 4, 9], "salary": ["<", "<", ">", "<"]}
    >>> {name: guess.role for name, guess in guesses(pd.DataFrame(rows)).items()}
    {'id': 'identifier', 'sex': 'quasi-identifier', 'age': 'quasi-identifier', 'salary': 'class label'}
    >>> guesses(pd.DataFrame({"spent": [3.5, 18.25, 7.75, 0.5]}))["spent"].asked
    True
    """
    found: dict[str, Guess] = {}
    for name in frame.columns:
        column, plain = frame[name], plain_name(name)
        values = int(column.nunique())
        few = 2 <= values <= MOST_LABELS and 2 * values <= len(column)
        if plain in LABELS and few and not any(guess.role == "class label" for guess in found.values()):
            found[name] = Guess("class label", "is called as what models predict")
        elif named_as(name, SENSITIVE) or plain in LABELS:
            found[name] = Guess("sensitive", "is called as what people keep to themselves")
        elif named_identifier(str(name)):
            found[name] = Guess("identifier", "is called as identifiers are")
        elif values + bool(column.isna().any()) < 2:
            found[name] = Guess("other", "has one value")
        elif named_as(name, QUASI_IDENTIFIERS) and (values <= MOST_VALUES or name in dates or _in_order(column)):
            found[name] = Guess("quasi-identifier", "is called as what others know of people")
        elif name in dates:
            found[name] = Guess("quasi-identifier", "holds dates, which others may know")
        elif named_as(name, MEASURES):
            found[name] = Guess("sensitive", "is called as what few others know of people", True)
        elif named_as(name, PLACES):
            found[name] = Guess("other", "is called as where people are treated, which others may know", True)
        else:
            found[name] = _by_values(column, values)
    return found


def _in_order(column: pd.Series) -> bool:
    """Whether it holds numbers, or codes of digits such as zip codes, so that neighbors are alike."""
    return pd.api.types.is_numeric_dtype(column) or bool(column.dropna().astype(str).str.fullmatch(r"[\d-]+").all())


def _by_values(column: pd.Series, values: int) -> Guess:
    numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if not identifies(column):
        if values <= MOST_VALUES:
            return Guess("quasi-identifier", f"has few values ({values:,}) that others may know")
        return Guess("other", f"has {values:,} values, too many to be linked without ranges or an order", True)
    if not numbers:
        return Guess("identifier", "has a value of its own in nearly every row")
    if _counts_rows(column):
        return Guess("identifier", "numbers the rows")
    if _alike_long(column):
        return Guess("identifier", "has a number of its own in nearly every row, all of the same length")
    return Guess("other", "has a number of its own in nearly every row: it may be a measure or a code", True)


def _counts_rows(column: pd.Series) -> bool:
    """Whether it is 1, 2, 3 …, in any order and from any number on."""
    known = column.dropna().to_numpy(dtype=float)
    return len(np.unique(known)) == len(known) > 2 and np.ptp(known) == len(known) - 1


def _alike_long(column: pd.Series) -> bool:
    """Whether it holds whole numbers of as many digits each."""
    known = column.dropna().to_numpy(dtype=float)
    if not (np.isfinite(known).all() and (known == np.floor(known)).all() and known.min() > 0):
        return False
    digits = np.floor(np.log10(known)) + 1
    return bool(digits.min() == digits.max() >= FEWEST_DIGITS)


def identifies(column: pd.Series) -> bool:
    """Whether nearly every row has a value of its own."""
    return column.nunique() >= NEARLY_ALL * len(column) and len(column) > 1


def listed(names: Any) -> str:
    """Columns for a sentence.

    Example
    -------
    >>> listed(["age"]), listed(["age", "sex", "zip"])
    ('“age”', '“age”, “sex” and “zip”')
    """
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
