"""Names of groups from a file: what a person called groups of an earlier result."""

from __future__ import annotations

import re
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.sets import sets_in
from kanon_engine.model.words import plain_name
from kanon_engine.regions.group_names import GivenName
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.read.area_ids import aligned

HEADER = ["name", "id"]
WEIGHT = re.compile(r"\d{1,15}", re.ASCII)


def read_given_names(regions: Regions, file: Any) -> tuple[GivenName, ...]:
    """Names with the areas that each group held, from a CSV: in each line a name, the id of an area, and its weight.

    Parameters
    ----------
    regions : Regions
        The areas of now, whose weights stand in where the file has none.
    file : path, bytes, readable object, or list of such lines
        Leading zeros may be lost in it. A line of headers is passed over.

    Raises
    ------
    InvalidInput
        A line that is none of these.

    Example
    -------
    >>> line = Regions(["01001", "01002"], [5, 9], [(0, 1)])
    >>> read_given_names(line, b"name,id\\nWest,1001\\n")
    (GivenName(name='West', records={'01001': 5}),)
    """
    rows = [list(map(str, row)) for row in sets_in(file)]
    headed = bool(rows) and [cell.casefold() for cell in rows[0][:2]] == HEADER
    rows = rows[headed:]
    for number, row in enumerate(rows, start=1 + headed):
        if len(row) not in (2, 3) or (len(row) == 3 and not WEIGHT.fullmatch(row[2])):
            raise InvalidInput(
                f"Line {number} of the names of groups is “{', '.join(row)[:60]}”; write a name, the id of an area "
                "and, if you like, how much it weighed."
            )
    ids, listed, _ = aligned(regions.ids.tolist(), [row[1] for row in rows], "the names of groups")
    now = dict(zip(map(str, ids), zip(regions.ids.tolist(), regions.weights.tolist(), strict=True), strict=True))
    held: dict[str, dict[str, int]] = {}
    for row, area in zip(rows, listed, strict=True):
        known, weight = now.get(str(area), (area, 0))
        held.setdefault(plain_name(row[0], "group"), {})[str(known)] = int(row[2]) if len(row) == 3 else weight
    return tuple(GivenName(name, records) for name, records in held.items())
