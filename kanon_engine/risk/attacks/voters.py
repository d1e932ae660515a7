"""A synthetic list of people with names, if there is no outside table to link with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.words import free_name
from kanon_engine.validate import require_known_name

NAME = "name"
FIRST = (
    *("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ines"),
    *("Jack", "Kate", "Liam", "Mona", "Noah", "Olga", "Paul", "Rosa", "Sam"),
    *("Tess", "Uma", "Vera", "Will", "Xena", "Yann", "Zoe"),
)
LAST = (
    *("Abel", "Baker", "Cole", "Dale", "Ellis", "Ford", "Gray", "Hale", "Irwin"),
    *("Jones", "Klein", "Lane", "Moss", "Nash", "Olsen", "Page", "Quinn", "Reed"),
    *("Stone", "Tate", "Usher", "Vance", "Wade", "Young", "Zeller"),
)
LETTERS = 27  # middle initials, or none
MOST = 10_000  # people of counted groups


def synthetic_voters(source: Any, seed: int = 0, people: int | None = None) -> pd.DataFrame:
    """A list like a voter register: people in the data under made-up names, with what identifies them.

    Names are made up and belong to nobody; everything else on the list is true of records in the data and reveals no
    sensitive value. The list is the worst that an outsider can have: exact values of all quasi-identifiers.

    The column "name", and the others; "group" holds the area or the label of a person. For clusters whose distances are
    not computed from the columns as they are, only the names.

    Parameters
    ----------
    source : Table, Points, MetricSpace, Regions, Labels or DataFrame
        The list has the quasi-identifiers of a table, or all columns of a frame.
    seed : Who is in it, in which order, under which name.
    people : How many; if None everyone, but at most 10,000 from counted groups.

    >>> synthetic_voters(pd.DataFrame({"age": [30, 41], "sex": ["m", "f"]}), seed=1)
             name  age sex
    0  Paul Olsen   30   m
    1  Kate Jones   41   f
    """
    frame, weights = _identifying(source)
    total = int(weights.sum())
    # rows with weights can represent millions of people, so only MOST of these are listed
    people = min(total, len(frame) if len(frame) == total else MOST) if people is None else people
    if not 1 <= people <= total:
        raise InvalidInput(
            f"A list of {people:,} people cannot be made from data on {total:,} people; request 1 to {total:,}."
        )
    rng = np.random.default_rng(seed)
    chosen = rng.choice(total, people, replace=False)
    rows = frame.iloc[np.searchsorted(np.cumsum(weights), chosen, side="right")].reset_index(drop=True)
    rows.insert(0, free_name(NAME, list(rows.columns)), _names(people, rng))
    return rows


def people_list(
    outside: pd.DataFrame | None, name: str | None, source: Any, seed: int
) -> tuple[pd.DataFrame, str] | None:
    """A list of people and its column of names: the given one or a synthetic one; None without either."""
    if outside is None:
        if source is None:
            return None
        voters = synthetic_voters(source, seed)
        return voters, str(voters.columns[0])
    if name is not None:
        require_known_name(list(outside.columns), name, "columns of the outside table")
        return outside, name
    name_column = next((str(column) for column in outside.columns if str(column).casefold() == NAME), None)
    if name_column is None:
        raise InvalidInput("Nothing says which column of the outside table has the names; give it as “name”.")
    return outside, name_column


def _identifying(source: Any) -> tuple[pd.DataFrame, np.ndarray]:
    """What a list can say about each item, and how many people each represents."""
    if isinstance(source, pd.DataFrame):
        return source, np.ones(len(source), dtype=np.int64)
    if hasattr(source, "metric"):
        return _places(source), source.weights
    if hasattr(source, "quasi_identifiers"):
        return source.frame[list(source.quasi_identifiers)], source.weights
    if hasattr(source, "xy"):
        return pd.DataFrame(source.xy, columns=["x", "y"]), source.weights
    return pd.DataFrame({"group": source.ids}), source.weights


def _places(space: Any) -> pd.DataFrame:
    """Coordinates, if distances are computed from the columns as they are; otherwise no radius could be compared."""
    plain = space.metric in ("euclidean", "haversine") and bool((space.units == 1).all())
    return pd.DataFrame(space.points, columns=list(space.names)) if plain else pd.DataFrame(index=range(len(space)))


def _names(count: int, rng: np.random.Generator) -> list[str]:
    """Distinct names, with a middle initial and finally a number if there are not enough."""
    plain = len(FIRST) * len(LAST)
    different = plain if count <= plain else plain * LETTERS * (count // (plain * LETTERS) + 1)
    numbers = rng.permutation(different)[:count]
    return [_name(number) for number in numbers.tolist()]


def _name(number: int) -> str:
    number, first = divmod(number, len(FIRST))
    number, last = divmod(number, len(LAST))
    number, middle = divmod(number, LETTERS)
    inner = f" {chr(64 + middle)}." if middle else ""
    end = f" {number + 1}" if number else ""
    return f"{FIRST[first]}{inner} {LAST[last]}{end}"
