"""The places that zip codes are known by."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_suffix(".csv")  # made by sample_data/make/zip_places.py
LEAST_KNOWN = 0.5  # share of the ids that must be known as zip codes


@cache
def places() -> dict[str, str]:
    """Zip code → place, of the census's zip code areas of 2010."""
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return dict(list(csv.reader(lines))[1:])


def are_zip_codes(column: str | None) -> bool:
    """Whether a column of ids is named like zip codes."""
    return column is not None and column.lower().startswith(("zip", "zcta", "modzcta"))


def called_by_place(column: str | None, ids: Sequence[Any]) -> list[str] | None:
    """What people call these zip codes, such as "Burlington 05401"; None where the ids are none.

    Parameters
    ----------
    column : str or None
        That the ids were taken from: it has to be named like zip codes.
    ids : sequence
    """
    if not are_zip_codes(column):
        return None
    known = [places().get(str(id)) for id in ids]
    if sum(place is not None for place in known) < LEAST_KNOWN * len(known):
        return None
    return [str(id) if place is None else f"{place} {id}" for place, id in zip(known, ids, strict=True)]
