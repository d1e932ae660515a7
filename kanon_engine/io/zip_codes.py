"""The place names and counties of United States zip codes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_PLACES_FILE = Path(__file__).with_name("zip_places.csv")  # made by sample_data/make/zip_places.py
_COUNTIES_FILE = Path(__file__).with_name("zip_counties.npz")  # made by sample_data/make/zip_counties.py
MIN_MATCHED = 0.5  # share of the ids that must be known zip codes


@cache
def places() -> dict[str, str]:
    """Zip code → place, for the census's zip code areas of 2010."""
    with _PLACES_FILE.open(encoding="utf-8", newline="") as lines:
        return dict(list(csv.reader(lines))[1:])


@cache
def counties() -> dict[str, tuple[str, str]]:
    """Zip code → county and state, for the census's zip code areas of 2010, by the point given for each."""
    with np.load(_COUNTIES_FILE) as file:
        names = [tuple(line.split("\t")) for line in bytes(file["names"]).decode().split("\n")]
        pairs = zip(file["zips"].tolist(), file["counties"].tolist(), strict=True)
        return {f"{code:05d}": names[place] for code, place in pairs}  # type: ignore[misc]


def _known(table: Callable[[], dict[str, Any]], column: str | None, ids: Sequence[Any]) -> list[Any] | None:
    """The table's entries for these ids; None if their column's name or the table says that they are not zip codes."""
    if column is None or not column.lower().startswith(("zip", "zcta", "modzcta")):
        return None
    values = [table().get(str(id)) for id in ids]
    return None if sum(one is not None for one in values) < MIN_MATCHED * len(values) else values


def called_by_place(column: str | None, ids: Sequence[Any]) -> list[str] | None:
    """The common names of these zip codes, such as "Burlington 05401"; None if the ids are not zip codes.

    `column`: the source of the ids, which must be named like zip codes.
    """
    place_names = _known(places, column, ids)
    if place_names is None:
        return None
    return [str(id) if place is None else f"{place} {id}" for place, id in zip(place_names, ids, strict=True)]


def counties_of(column: str | None, ids: Sequence[Any]) -> list[str] | None:
    """The county of each of these zip codes, "" if it is unknown; None if the ids are not zip codes.

    If counties of several states have the same name, the state's name follows it. The column is as in
    `called_by_place`.

    >>> counties_of("zip", ["06604", "06511", "99999"])
    ['Fairfield', 'New Haven', '']
    >>> counties_of("zip", ["97005", "55082"])
    ['Washington, Oregon', 'Washington, Minnesota']
    """
    county_names = _known(counties, column, ids)
    if county_names is None:
        return None
    states: dict[str, set[str]] = {}
    for name, state in filter(None, county_names):
        states.setdefault(name, set()).add(state)
    return ["" if pair is None else pair[0] if len(states[pair[0]]) == 1 else ", ".join(pair) for pair in county_names]
