"""Names of groups of areas: after a place in them, after the county of most of them, or as chosen by a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.io.frames import sets_in
from kanon_engine.model.generalization import members_of
from kanon_engine.model.words import cell_text, one_line, plain_name
from kanon_engine.regions.columns import aligned
from kanon_engine.regions.instance import Regions


@dataclass(frozen=True)
class CustomName:
    """A name that a person gave to a group, and what the group held then."""

    name: str
    records: Mapping[str, int]  # the id of each of its areas, as text → its weight


def custom_name(regions: Regions, areas: np.ndarray, name: str) -> CustomName:
    """A name for the group of the areas at these positions.

    Raises `InvalidInput`: the name is empty or too long.

    >>> from kanon_engine import Regions
    >>> custom_name(Regions("ab", [3, 4], [(0, 1)]), np.array([1]), " Old  town ")
    CustomName(name='Old town', records={'b': 4})
    """
    ids, weights = regions.ids[areas].tolist(), regions.weights[areas].tolist()
    return CustomName(plain_name(name, "group"), {str(area): weight for area, weight in zip(ids, weights, strict=True)})


def names_for(regions: Regions, pairs: Iterable[tuple[str, Iterable[Any]]]) -> tuple[CustomName, ...]:
    """Names with the ids of the areas that each group held, at their present weights; a removed area weighs nothing.

    >>> from kanon_engine import Regions
    >>> names_for(Regions("ab", [3, 4], [(0, 1)]), [("Old town", ["b", "c"])])
    (CustomName(name='Old town', records={'b': 4, 'c': 0}),)
    """
    now = dict(zip(map(str, regions.ids.tolist()), regions.weights.tolist(), strict=True))
    return tuple(
        CustomName(plain_name(name, "group"), {str(area): now.get(str(area), 0) for area in areas})
        for name, areas in pairs
    )


def retained_names(regions: Regions, assignment: np.ndarray, custom_names: Sequence[CustomName]) -> dict[int, str]:
    """Class → name, for classes that keep a given name: each holds most of what the named group held.

    The names are matched to the classes so that as many records as possible keep their name. Only a class that holds
    more than half of a former group's records, by their former weights, may take its name, and there is at most one
    such class. So the heaviest of the names that compete for a class gives the matching of greatest weight; among
    equals the first is kept.

    `regions`: may be those of another year: areas are identified by their ids. `assignment`: (n,) int. Class of each
    area.

    >>> from kanon_engine import Regions
    >>> line = Regions("abcd", [3, 4, 5, 6], [(0, 1), (1, 2), (2, 3)])
    >>> name = custom_name(line, np.array([0, 1]), "West")
    >>> retained_names(line, np.array([1, 0, 0, 0]), [name])  # 4 of 7 records
    {0: 'West'}
    """
    classes = {str(area): int(number) for area, number in zip(regions.ids.tolist(), assignment, strict=True)}
    best: dict[int, tuple[int, int, str]] = {}  # shared records, the place of the name, the name
    for place, one in enumerate(custom_names):
        has_weights = sum(one.records.values()) > 0
        overlaps: Counter[int] = Counter()
        for area, weight in one.records.items():
            if area in classes and classes[area] >= 0:
                overlaps[classes[area]] += weight if has_weights else 1
        total = sum(one.records.values()) if has_weights else len(one.records)
        for number, overlap in overlaps.items():
            if 2 * overlap > total:
                best[number] = max(best.get(number, (0, 0, "")), (overlap, -place, one.name))
    return {number: best[number][2] for number in sorted(best)}


def group_names(
    regions: Regions,
    assignment: np.ndarray,
    *,
    codes_are_public: bool,
    counties: Sequence[Any] | None = None,
    given: Sequence[CustomName] = (),
) -> list[str]:
    """A unique name for each class.

    A person's own name comes first. Otherwise, if the codes of areas are public knowledge, a class is named after its
    place with the most records and the number of further places it holds: "Burlington + 3". A place is the name of
    areas; zip codes of one place count once. If names would be identical, the lowest code of the place is added:
    "Bridgeport 06604 + 2". With counties, it is named after the county with the most of the class's records and the
    number of further counties it reaches into: "Fairfield + 1". If such names would be identical, that of the place
    follows: "Fairfield: Bridgeport + 2". If codes are not public, classes are numbered.

    A name reveals what is public, and which of its places or counties has the most records.

    `assignment`: (n,) int. Class of each area.
    `counties`: (n,) sequence of text, optional. The county of each area; a class is named after a place if none of its
        areas has one.

    >>> from kanon_engine import Regions
    >>> names = ["Barre 05641", "Barre 05678", "Burlington 05401"]
    >>> line = Regions([name[-5:] for name in names], [3, 4, 5], [(0, 1), (1, 2)], names=names)
    >>> group_names(line, np.array([0, 0, 0]), codes_are_public=True)
    ['Barre + 1']
    >>> group_names(line, np.array([0, 1, 1]), codes_are_public=True)
    ['Barre', 'Burlington + 1']
    >>> group_names(line, np.array([0, 1, 2]), codes_are_public=True)
    ['Barre 05641', 'Barre 05678', 'Burlington']
    >>> group_names(line, np.array([0, 1, 1]), codes_are_public=False)
    ['Group 1', 'Group 2']
    """
    classes = int(assignment.max(initial=-1)) + 1
    retained = retained_names(regions, assignment, given)
    order = sorted(retained, key=lambda number: (retained[number], number))
    if not codes_are_public:
        names = {number: f"Group {number + 1}" for number in range(classes) if number not in retained}
        return _numbered(retained, order, names, list(names))
    places = places_of(regions)
    members = members_of(assignment, classes)
    lowest = [min((str(regions.ids[area]) for area in each), default="") for each in members]
    county_of = [""] * len(assignment) if counties is None else [cell_text(county) for county in counties]
    if len(county_of) != len(assignment):
        raise InvalidInput(
            f"The list of counties has {len(county_of)} entries for {len(assignment)} areas; name each area's county."
        )
    levels: dict[int, list[str]] = {}  # the first name of a class, and the alternatives if others are identical
    for number, each in enumerate(members):
        if number in retained:
            continue
        place, further, areas = _heaviest(regions, each.tolist(), places)
        code = min(str(regions.ids[area]) for area in areas)
        levels[number] = [place + further, (place if place == code else f"{place} {code}") + further]
        inside = [area for area in each.tolist() if county_of[area]]
        if inside:
            county, further, _ = _heaviest(regions, inside, county_of)
            levels[number] = [county + further, *(f"{county}: {name}" for name in levels[number])]
    names = {number: each[0] for number, each in levels.items()}
    for level in range(1, max(map(len, levels.values()), default=0)):
        often = Counter(name.casefold() for name in [*names.values(), *retained.values()])
        alike = [number for number, name in names.items() if often[name.casefold()] > 1]
        names |= {number: levels[number][min(level, len(levels[number]) - 1)] for number in alike}
    return _numbered(retained, order, names, sorted(names, key=lambda number: lowest[number]))


def places_of(regions: Regions) -> list[str]:
    """The name of each area, without its code if the name ends with it; its code if it has no name."""
    ids = [str(area) for area in regions.ids.tolist()]
    if regions.names is None:
        return ids
    names = [one_line(name) for name in regions.names.tolist()]
    return [name.removesuffix(code).strip() or code for name, code in zip(names, ids, strict=True)]


def _heaviest(regions: Regions, areas: list[int], called: Sequence[str]) -> tuple[str, str, list[int]]:
    """The name with the most records (ties: that of most areas), how many others there are, and its areas."""
    areas_by_name: dict[str, list[int]] = {}
    for area in areas:
        areas_by_name.setdefault(called[area], []).append(area)
    weights = {name: int(regions.weights[members].sum()) for name, members in areas_by_name.items()}
    first = min(areas_by_name, key=lambda name: (-weights[name], -len(areas_by_name[name]), name))
    return first, f" + {len(areas_by_name) - 1}" if len(areas_by_name) > 1 else "", areas_by_name[first]


def _numbered(retained: dict[int, str], first: list[int], generated: dict[int, str], then: list[int]) -> list[str]:
    """All names by class; those still identical are numbered, in the order given."""
    often = Counter(name.casefold() for name in [*retained.values(), *generated.values()])
    used: set[str] = set()
    result: dict[int, str] = {}
    for number in [*first, *then]:
        name = result[number] = retained.get(number) or generated[number]
        alone = number in retained and name.casefold() not in used
        if not alone and often[name.casefold()] > 1:
            place = 2 if name.casefold() in used else 1
            while (numbered := f"{name} ({place})").casefold() in used or numbered.casefold() in often:
                place += 1
            result[number] = numbered
        used.add(result[number].casefold())
    return [result[number] for number in sorted(result)]


NAMES_HEADER = ["name", "id"]
WEIGHT = re.compile(r"\d{1,15}", re.ASCII)


def read_custom_names(regions: Regions, file: Any) -> tuple[CustomName, ...]:
    """Names with the areas that each group held, from a CSV: in each line a name, the id of an area, and its weight.

    `regions`: the current areas, whose weights are used if the file has none.
    `file`: path, bytes, readable object, or list of such lines. Leading zeros may be lost in it. A header line is
        skipped.

    >>> line = Regions(["01001", "01002"], [5, 9], [(0, 1)])
    >>> read_custom_names(line, b"name,id\\nWest,1001\\n")
    (CustomName(name='West', records={'01001': 5}),)
    """
    rows = [list(map(str, row)) for row in sets_in(file)]
    headed = bool(rows) and [cell.casefold() for cell in rows[0][:2]] == NAMES_HEADER
    rows = rows[headed:]
    for number, row in enumerate(rows, start=1 + headed):
        if len(row) not in (2, 3) or (len(row) == 3 and not WEIGHT.fullmatch(row[2])):
            raise InvalidInput(
                f"Line {number} of the group names is “{', '.join(row)[:60]}”; write a name, the id of an area and, "
                "optionally, its weight."
            )
    ids, listed, _ = aligned(regions.ids.tolist(), [row[1] for row in rows], "the group names")
    now = dict(zip(map(str, ids), zip(regions.ids.tolist(), regions.weights.tolist(), strict=True), strict=True))
    groups: dict[str, dict[str, int]] = {}
    for row, area in zip(rows, listed, strict=True):
        area_id, weight = now.get(str(area), (area, 0))
        groups.setdefault(plain_name(row[0], "group"), {})[str(area_id)] = int(row[2]) if len(row) == 3 else weight
    return tuple(CustomName(name, records) for name, records in groups.items())
