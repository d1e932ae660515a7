"""The families that are known, by name; `kanon_engine.registry` fills it, and imports all that a family is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput

if TYPE_CHECKING:
    from kanon_engine.model.family import Family

FAMILIES: dict[str, Family] = {}


def family_named(name: str) -> Family:
    """The family of this name, or `InvalidInput` with a list."""
    if not isinstance(name, str) or name not in FAMILIES:
        raise InvalidInput(f"There is no family {name!r}; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def family_of(instance: Any) -> Family:
    for family in FAMILIES.values():
        if isinstance(instance, family.instance):
            return family
    kinds = ", ".join(family.instance.__name__ for family in FAMILIES.values())
    raise InvalidInput(f"A {type(instance).__name__} cannot be generalized; make one of {kinds} from it.")
