"""Ranges whose shown ends tell of one record, or of the least or greatest value of the table."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from kanon_engine.tables.audit.finding import DROP, MINOR, NOTABLE, PUBLIC, ROUND, Finding, Mend
from kanon_engine.tables.audit.values import FEW_RANGES, round_widths
from kanon_engine.tables.audit.view import View

NUMBER = r"(−?\d[\d.]*(?:e[+−-]?\d+)?)"
RANGE = re.compile(rf"{NUMBER}(?:–| to ){NUMBER}(?: or missing)?")
HALF_OPEN = re.compile(rf"{NUMBER} to under {NUMBER}(?: or missing)?")
OPEN = re.compile(rf"([≤≥]) {NUMBER}(?: or missing)?")
PARTS = re.compile(r" … | or |, ")
COUNT = re.compile(r" \([\d,]+ values\)$")


def extreme_findings(view: View) -> Iterator[Finding]:
    """Of the quasi-identifiers whose domains come from the file; an order, a hierarchy or ranges are public."""
    for place, name in enumerate(view.table.quasi_identifiers):
        if view.table.is_ordered(name):
            continue
        domain = view.table.domains[place]
        counts = np.bincount(view.table.codes[:, place], minlength=len(domain)).tolist()
        known = {value: count for value, count in zip(domain, counts, strict=True) if value is not None and count}
        cells = [str(cell) for cell in view.frame[name].dropna().unique().tolist()]
        if not known:  # nothing but missing values
            continue
        if all(_is_number(value) for value in known):
            yield from _of_numbers(view, name, known, cells)
        else:
            yield from _of_words(view, name, known, cells)


def _of_numbers(view: View, name: str, known: dict[Any, int], cells: list[str]) -> Iterator[Finding]:
    ends = {end for cell in cells for end in ends_of(cell)}
    single = [value for value, count in known.items() if count == 1 and value in ends]
    outermost = [value for value in (min(known), max(known)) if value in ends and value not in single]
    spread = max(known) - min(known)
    wanted = max(spread / FEW_RANGES, 1 if all(isinstance(value, int) for value in known) else 0)
    width = next(round_widths(wanted)) if wanted and math.isfinite(wanted) else None
    mends = (*([Mend(ROUND, name, (0, width))] if width else []), Mend(DROP, name))
    if single:
        verb = "end is" if len(single) == 1 else "ends are"
        yield Finding(
            "extremes",
            NOTABLE,
            f"{len(single):,} {verb} shown in “{name}” that one of the {view.table.unit} only has as value.",
            (name,),
            len(single),
            "A range that ends at a record's own value tells that value.",
            mends,
        )
    if outermost:
        which = "least and greatest values" if len(outermost) == 2 else "outermost value"
        yield Finding(
            "extremes",
            MINOR,
            f"The ranges of “{name}” end at the table's {which}.",
            (name,),
            sum(known[value] for value in outermost),
            "A range that ends at the least or greatest value tells an extreme of the table.",
            mends,
        )


def _of_words(view: View, name: str, known: dict[Any, int], cells: list[str]) -> Iterator[Finding]:
    """Words that a range names and one record has."""
    rare = {str(value) for value, count in known.items() if count == 1}
    named = set(cells).union(*(PARTS.split(COUNT.sub("", cell)) for cell in cells))
    found = len(rare & named)
    if found:
        yield Finding(
            "extremes",
            NOTABLE,
            f"{found:,} value{'s' * (found > 1)} of “{name}” {'are' if found > 1 else 'is'} named that one of the "
            f"{view.table.unit} only has.",
            (name,),
            found,
            "Its values come from the file, so naming one tells that somebody has it, unless all of them are public.",
            (Mend(PUBLIC, name), Mend(DROP, name)),
        )


def ends_of(cell: str) -> list[float]:
    """The numbers at which a range of a release ends; none of a single value.

    Example
    -------
    >>> ends_of("17–25"), ends_of("−4 to 0.5 or missing"), ends_of("≥ 90"), ends_of("1 to under 2"), ends_of("17")
    ([17.0, 25.0], [-4.0, 0.5], [90.0], [1.0], [])
    """
    half = HALF_OPEN.fullmatch(cell)
    if half is not None:
        return [_number(half[1])]
    whole = RANGE.fullmatch(cell)
    if whole is not None:
        return [_number(whole[1]), _number(whole[2])]
    open_end = OPEN.fullmatch(cell)
    return [] if open_end is None else [_number(open_end[2])]


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
