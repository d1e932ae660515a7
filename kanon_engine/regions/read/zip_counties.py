"""The counties that zip codes lie in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kanon_engine.regions.read.zip_places import LEAST_KNOWN, are_zip_codes

_FILE = Path(__file__).with_suffix(".npz")  # made by sample_data/make/zip_counties.py


@cache
def counties() -> dict[str, tuple[str, str]]:
    """Zip code → county and state, of the census's zip code areas of 2010, by the point that is given for each."""
    with np.load(_FILE) as file:
        names = [tuple(line.split("\t")) for line in bytes(file["names"]).decode().split("\n")]
        pairs = zip(file["zips"].tolist(), file["counties"].tolist(), strict=True)
        return {f"{code:05d}": names[place] for code, place in pairs}  # type: ignore[misc]


def counties_of(column: str | None, ids: Sequence[Any]) -> list[str] | None:
    """The county of each of these zip codes, "" where it is not known; None where the ids are none.

    Where counties of several states have one name, that of the state stands behind it.

    Parameters
    ----------
    column : str or None
        That the ids were taken from: it has to be named like zip codes.
    ids : sequence

    Example
    -------
    >>> counties_of("zip", ["06604", "06511", "99999"])
    ['Fairfield', 'New Haven', '']
    >>> counties_of("zip", ["97005", "55082"])
    ['Washington, Oregon', 'Washington, Minnesota']
    """
    if not are_zip_codes(column):
        return None
    found = [counties().get(str(id)) for id in ids]
    if sum(pair is not None for pair in found) < LEAST_KNOWN * len(found):
        return None
    states: dict[str, set[str]] = {}
    for name, state in filter(None, found):
        states.setdefault(name, set()).add(state)
    return ["" if pair is None else pair[0] if len(states[pair[0]]) == 1 else ", ".join(pair) for pair in found]
