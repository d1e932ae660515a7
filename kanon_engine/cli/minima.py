"""The flag `--minimum`: what every group must hold of second counts."""

from __future__ import annotations

from typing import Any

import typer

from kanon_engine.cli.flags import Flag
from kanon_engine.model.family import Family
from kanon_engine.model.requirement import Minimum

MINIMUM = Flag(
    "minimum",
    "Least sum of second counts in every group, as cases=11 or cases=11,deaths=5; their columns are read too.",
    panel="Options",
)


def minimum_flags(family: Family) -> list[Flag]:
    """The flag, where the family's reader takes second counts."""
    return [MINIMUM] if family.reader.parameter("columns") else []


def minima(text: str | None) -> tuple[Minimum, ...]:
    """`cases=11,deaths=5` as requirements, or a usage error.

    Example
    -------
    >>> minima("cases=11, deaths=5")
    (Minimum(column='cases', m=11), Minimum(column='deaths', m=5))
    """
    found = []
    for part in () if text is None else text.split(","):
        column, _, least = (word.strip() for word in part.rpartition("="))
        if not column or not least.isdecimal() or len(least) > 15:
            raise typer.BadParameter(f"{part.strip()!r} is no minimum as cases=11.", param_hint="--minimum")
        found.append(Minimum(column, int(least)))
    return tuple(found)


def with_columns(reading: dict[str, Any], require: tuple[Minimum, ...]) -> dict[str, Any]:
    """The reader's arguments, with the columns that have a minimum."""
    wanted = [*reading.get("columns", ()), *(one.column for one in require)]
    return reading | ({"columns": tuple(dict.fromkeys(wanted))} if require else {})
