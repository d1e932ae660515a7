"""The flags for what every group must satisfy besides k: `--minimum`, `--diversity`, `--closeness`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import typer

from kanon_engine.cli.flags import Flag
from kanon_engine.errors import InvalidInput
from kanon_engine.model.family import Family
from kanon_engine.model.requirement import CLOSENESS, Closeness, Diversity, Minimum, Requirement, demand_of, demands_in
from kanon_engine.tables.read.conflicts import require_compatible

MINIMUM = Flag(
    "minimum",
    "Least sum of second counts in every group, as cases=11 or cases=11,deaths=5; their columns are read too.",
    panel="Options",
)
DIVERSITY = Flag(
    "diversity",
    "Different values of sensitive columns in every group, as disease=3 or disease=3,income=2. Also disease=3:entropy, "
    "as diverse as 3 equally common ones, and disease=2:recursive:3, the commonest below 3 times all but that one. The "
    "columns are read too, and released where --sensitive or --keep names them.",
    panel="Options",
)
CLOSE = Flag(
    "closeness",
    "How far the distribution of a sensitive column in a group may be from the whole table's, from 0 to 1, as "
    "income=0.3: numbers by their order (earth mover's distance), all else by the share that differs.",
    panel="Options",
)


def requirement_flags(family: Family) -> list[Flag]:
    """Those that fit the family: minima where its reader takes second counts, the others of records in a table."""
    minimum = [MINIMUM] if family.reader.parameter("columns") else []
    return minimum + ([DIVERSITY, CLOSE] if hasattr(family.instance, "sensitive") else [])


def requirements(settings: dict[str, Any]) -> tuple[Requirement, ...]:
    """Take these flags out of those that were given, as requirements; a usage error where one makes no sense."""
    asked = minima(settings.pop("minimum", None)), diversities(settings.pop("diversity", None))
    return (*asked[0], *asked[1], *closenesses(settings.pop("closeness", None)))


def minima(text: str | None) -> tuple[Minimum, ...]:
    """`cases=11,deaths=5` as requirements, or a usage error.

    Example
    -------
    >>> minima("cases=11, deaths=5")
    (Minimum(column='cases', m=11), Minimum(column='deaths', m=5))
    """
    found = []
    for part, column, least in _pairs(text):
        if not column or not least.isdecimal() or len(least) > 15:
            raise typer.BadParameter(f"{part!r} is no minimum as cases=11.", param_hint="--minimum")
        found.append(Minimum(column, int(least)))
    return tuple(found)


def diversities(text: str | None) -> tuple[Diversity | Closeness, ...]:
    """`disease=3,income=2:entropy` as requirements, or a usage error.

    Example
    -------
    >>> diversities("disease=3:entropy")
    (Diversity(column='disease', l=3, kind='entropy', c=None),)
    """
    return tuple(_demand(*entry, "--diversity", "disease=3") for entry in _pairs(text))


def closenesses(text: str | None) -> tuple[Diversity | Closeness, ...]:
    """`income=0.3` as requirements, or a usage error.

    Example
    -------
    >>> closenesses("income=0.3")
    (Closeness(column='income', t=0.3),)
    """
    found = ((part, column, f"{most}:{CLOSENESS}") for part, column, most in _pairs(text))
    return tuple(_demand(*entry, "--closeness", "income=0.3") for entry in found)


def _pairs(text: str | None) -> Iterator[tuple[str, str, str]]:
    """Each part of a list, its column and what is asked of it."""
    for part in () if text is None else text.split(","):
        column, _, asked = (word.strip() for word in part.rpartition("="))
        yield part.strip(), column, asked


def _demand(part: str, column: str, asked: str, flag: str, form: str) -> Diversity | Closeness:
    try:
        one = demand_of(column, asked)
        if not column or isinstance(one, Closeness) != (flag == "--closeness"):
            raise InvalidInput("")
    except InvalidInput as error:
        why = f" {error}" if "write it as" not in str(error) else ""
        raise typer.BadParameter(f"{part!r} is no {flag[2:]} as {form}.{why}".rstrip(), param_hint=flag) from None
    return one


def require_one_use(reading: dict[str, Any], require: tuple[Requirement, ...], weights: str | None) -> None:
    """Refuse a column of a table that two flags name which exclude each other."""
    demanded: dict[str, list[str]] = {"diversity": [], "closeness": []}
    for one in demands_in(require):
        demanded["closeness" if isinstance(one, Closeness) else "diversity"].append(one.column)
    weighed = [column for _, column, _ in _pairs(weights)]
    require_compatible({**reading, "weights": weighed, **demanded})


def with_columns(
    reading: dict[str, Any], require: tuple[Requirement, ...], counted_by: Sequence[str] = ()
) -> dict[str, Any]:
    """The reader's arguments, with the columns that something is required of.

    What is named to be sensitive or the class label is released, also beside other columns to keep. A column that is
    named for a requirement alone is read and not released. Columns that records are counted
    by are not among the arguments.
    """
    minimum = [one.column for one in require if isinstance(one, Minimum)]
    if minimum:
        reading = reading | {"columns": tuple(dict.fromkeys([*reading.get("columns", ()), *minimum]))}
    sensitive, label = list(reading.get("sensitive") or ()), reading.get("class_label")
    kept = [*(reading.get("keep") or ()), *sensitive, *([] if label is None else [label])]
    if reading.get("keep") is not None:
        reading = reading | {"keep": list(dict.fromkeys(kept))}
    named = {*sensitive, label, *(reading.get("keep") or ()), *(reading.get("quasi_identifiers") or ()), *counted_by}
    more = dict.fromkeys(one.column for one in demands_in(require) if one.column not in named)
    if not more:
        return reading
    return reading | {"sensitive": [*sensitive, *more], "keep": list(dict.fromkeys(kept))}
