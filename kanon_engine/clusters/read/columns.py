"""Which columns distances are made of, and by which metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import typed
from kanon_engine.io.coordinates import coordinate_columns, in_degrees
from kanon_engine.io.roles import guesses, listed
from kanon_engine.validate import known_column


@dataclass(frozen=True)
class Chosen:
    """Columns and a metric.

    Attributes
    ----------
    names : tuple of str
    metric : str
    numeric : tuple of bool
        Which of the columns hold numbers.
    notes : tuple of str
    """

    names: tuple[str, ...]
    metric: str
    numeric: tuple[bool, ...]
    notes: tuple[str, ...]


def chosen_columns(
    frame: pd.DataFrame, columns: Sequence[str] | None, metric: str | None, taken: Sequence[str | None], where: str
) -> Chosen:
    """The columns that a person named, or the best guess, and the metric that fits them.

    Raises
    ------
    InvalidInput
        An unknown column, none that could be meant, longitude without latitude.

    Example
    -------
    >>> rows = pd.DataFrame({"id": ["a1", "b2", "c3"], "age": ["30", "31", "30"], "sex": ["f", "m", "f"]})
    >>> found = chosen_columns(rows, None, None, [], "people.csv")
    >>> found.names, found.metric
    (('age', 'sex'), 'gower')
    """
    known = [str(name) for name in frame.columns]
    free = [name for name in known if name not in taken]
    notes: tuple[str, ...] = ()
    if columns is not None:
        names = tuple(known_column(known, name, "columns") for name in columns)
        both = next((name for name in names if name in taken), None)
        if both is not None:
            raise InvalidInput(f"Column {both!r} was chosen for distances and for something else; give it one role.")
    elif metric in (None, "haversine") and (place := _place(free, where, metric)) is not None:
        names = place
        notes = (f"The columns {listed(names)} were taken, for their names.",)
    else:
        names = _guessed(frame[free], where)
        notes = (f"Nobody named columns: taken were {listed(names)}.",)
    if not names:
        raise InvalidInput("There is no column to make distances of; name at least one.")
    numeric = tuple(_numbers(frame[name]) for name in names)
    if metric == "haversine" and len(names) == 2 and not in_degrees(*names) and in_degrees(*names[::-1]):
        names = names[::-1]
    if metric is None:
        degrees = len(names) == 2 and (in_degrees(*names) or in_degrees(*names[::-1]))
        if degrees and not in_degrees(*names):
            names = names[::-1]
        metric = "haversine" if degrees else "euclidean" if all(numeric) else "gower"
    return Chosen(names, metric, numeric, notes)


def _place(free: Sequence[str], where: str, metric: str | None) -> tuple[str, str] | None:
    """Longitude and latitude, None where no columns are called so."""
    try:
        x, y = coordinate_columns(free, None, None, where)
    except InvalidInput:
        if metric == "haversine":
            raise
        return None
    return (x, y) if in_degrees(x, y) or metric == "haversine" else None


def _guessed(frame: pd.DataFrame, where: str) -> tuple[str, ...]:
    """What others may know of a record, and measures."""
    values = pd.DataFrame({name: typed(frame[name])[0] for name in frame.columns})
    roles = guesses(values)
    found = tuple(
        str(name)
        for name, guess in roles.items()
        if guess.role == "quasi-identifier" or (guess.asked and _numbers(frame[name]))
    )
    if not found:
        listing = ", ".join(map(str, frame.columns)) or "none"
        raise InvalidInput(
            f"{where} has no column that looks like a measure or like what others know; name columns among: {listing}."
        )
    return found


def _numbers(column: pd.Series) -> bool:
    values = typed(column)[0]
    return pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
