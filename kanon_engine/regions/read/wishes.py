"""Wishes for classes of areas from lists, files or text, put onto areas that were read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanon_engine.io.sets import sets_in, sets_told
from kanon_engine.model.wishes import named_sets
from kanon_engine.regions.instance import WISHES, Regions
from kanon_engine.regions.read.area_ids import aligned


def with_wishes(regions: Regions, together: Any = None, apart: Any = None, barriers: Any = None) -> Regions:
    """The same areas with these wishes in place of those they have; None leaves a wish as it is.

    Parameters
    ----------
    regions : Regions
    together, apart, barriers : sets of ids, or path, bytes or readable object
        See `Regions`; a file is a CSV in which every line is a set of ids. Leading zeros may be lost in it.

    Returns
    -------
    Regions
        Its `reading` and `notes` tell the wishes.

    Raises
    ------
    InvalidInput
        As `Regions`.

    Example
    -------
    >>> line = Regions(["01001", "01002", "01003"], [5, 9, 1], [(0, 1), (1, 2)])
    >>> wished = with_wishes(line, together=b"1001, 1002\\n")
    >>> wished.together, wished.notes[0]
    ((('01001', '01002'),), '1 set of areas stays together.')
    """
    parsed: dict[str, Any] = {}
    notes: list[str] = []
    for name, value in (("together", together), ("apart", apart), ("barriers", barriers)):
        if value is not None:
            padded, note = _aligned(regions, sets_in(value), name)
            what, least = WISHES[name]
            parsed[name] = named_sets(padded, regions.ids, what, "area", least)
            notes += [note] if note else []
    if not parsed:
        return regions
    notes = sets_told(parsed, "area") + notes
    return replace(regions, notes=(*regions.notes, *notes), reading={**regions.reading, **parsed}, **parsed)


def _aligned(regions: Regions, sets: Any, name: str) -> tuple[Any, str | None]:
    """Lists of ids as the areas have them where that is clear; what are none, as they are."""
    if not isinstance(sets, list | tuple) or not all(isinstance(own, list | tuple | set | frozenset) for own in sets):
        return sets, None
    lists = [list(own) for own in sets]
    ids, listed, note = aligned(regions.ids.tolist(), [one for own in lists for one in own], f"the areas {name}")
    known = dict(zip(ids, regions.ids.tolist(), strict=True))
    found = iter(listed)
    return [[known.get(next(found), one) for one in own] for own in lists], note
