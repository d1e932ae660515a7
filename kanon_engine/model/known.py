"""The families by name; `kanon_engine.registry` fills them in at the first access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput

if TYPE_CHECKING:
    from kanon_engine.model.family import Family


class Families(MutableMapping[str, "Family"]):
    """A family under each name. `load` imports all of them, with numpy, pandas and more, at the first access."""

    def __init__(self) -> None:
        self.load: Callable[[], object] = lambda: None
        self._entries: dict[str, Family] = {}

    def __getitem__(self, name: str) -> Family:
        self.load()
        return self._entries[name]

    def __setitem__(self, name: str, family: Family) -> None:
        self._entries[name] = family

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self.load()
        return iter(self._entries)

    def __len__(self) -> int:
        self.load()
        return len(self._entries)


FAMILIES = Families()


def get_family(name: str) -> Family:
    """The family of this name, or `InvalidInput` with a list of names."""
    if not isinstance(name, str) or name not in FAMILIES:
        raise InvalidInput(f"There is no family {name!r}; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def family_of(instance: Any) -> Family:
    for family in FAMILIES.values():
        if isinstance(instance, family.instance):
            return family
    kinds = ", ".join(family.instance.__name__ for family in FAMILIES.values())
    raise InvalidInput(f"A {type(instance).__name__} cannot be generalized; turn it into one of {kinds}.")
