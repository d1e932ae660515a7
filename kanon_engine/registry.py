"""The families, by name."""

from __future__ import annotations

from typing import Any

from kanon_engine import labels, rectangles, regions, tables
from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Algorithm, Family

FAMILIES: dict[str, Family] = {
    "regions": regions.FAMILY,
    "rectangles": rectangles.FAMILY,
    "labels": labels.FAMILY,
    "tables": tables.FAMILY,
}


def family_named(name: str) -> Family:
    """The family of this name, or `InvalidInput` with a list."""
    if not isinstance(name, str) or name not in FAMILIES:
        raise InvalidInput(f"There is no family {name!r}; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def family_of(instance: Any) -> Family:
    """The family that an instance belongs to."""
    for family in FAMILIES.values():
        if isinstance(instance, family.instance):
            return family
    kinds = ", ".join(family.instance.__name__ for family in FAMILIES.values())
    raise InvalidInput(f"A {type(instance).__name__} cannot be generalized; make one of {kinds} from it.")


def algorithms(family: str | None = None) -> tuple[Algorithm, ...]:
    """Every registered algorithm, of one family or of all, best first.

    Example
    -------
    >>> [algorithm.name for algorithm in algorithms("labels")][:2]
    ['near-optimal', 'spread']
    """
    chosen = FAMILIES.values() if family is None else [family_named(family)]
    return tuple(algorithm for member in chosen for algorithm in member.algorithms.values())
