"""The families by name: the only list of them."""

from __future__ import annotations

from kanon_engine import clusters, labels, rectangles, regions, tables
from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.family import Family
from kanon_engine.model.known import FAMILIES, get_family


def add_family(family: Family) -> None:
    """Register a family for `generalize`, `verify` and `sweep`, for certificates, commands and pages.

    Commands and pages that are made later include it. A worker starts with the families of this module; files of other
    families are read in this process.

    Raises
    ------
    InvalidInput : Another family has its name, its command, or the name of its reader, instance or one of its records.
    """
    for other in FAMILIES.values():
        conflicts = _names(family) & _names(other)
        if conflicts:
            raise InvalidInput(f"The family {other.name} already uses these names: {', '.join(sorted(conflicts))}.")
    FAMILIES[family.name] = family


def _names(family: Family) -> set[str]:
    records = (record.__name__ for record in (family.instance, *family.records))
    return {f"family {family.name}", f"command {family.reader.command}", f"reader {family.reader.name}", *records}


for _family in (regions.FAMILY, rectangles.FAMILY, labels.FAMILY, tables.FAMILY, clusters.FAMILY):
    add_family(_family)


def algorithms(family: str | None = None) -> tuple[Algorithm, ...]:
    """Every registered algorithm of one family or of all, best first.

    >>> [algorithm.name for algorithm in algorithms("labels")][:2]
    ['near-optimal', 'spread']
    """
    chosen = FAMILIES.values() if family is None else [get_family(family)]
    return tuple(algorithm for member in chosen for algorithm in member.algorithms.values())
