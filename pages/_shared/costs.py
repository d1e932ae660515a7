"""What a result costs, in words: in most families its largest group, else what was chosen to be small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import kanon_engine as kanon
from kanon_engine.registry import family_named


def cost_noun(family: str, options: Mapping[str, Any]) -> str:
    """What the cost counts."""
    return family_named(family).cost.noun(options)


def noun_of(g: kanon.Generalization) -> str:
    """What the cost of a result counts."""
    return cost_noun(g.family, g.options)


def measured(g: kanon.Generalization) -> str:
    """The cost with its noun, short."""
    return f"largest {g.cost:,}" if family_named(g.family).cost.by_largest else f"{noun_of(g)} {g.cost:,}"
