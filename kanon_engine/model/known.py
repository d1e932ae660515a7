"""The families that are known, by name; `kanon_engine.registry` fills it, and imports all that a family is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_engine.model.family import Family

FAMILIES: dict[str, Family] = {}
