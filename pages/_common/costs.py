"""What a result costs, in words: in most families its largest group, else what was chosen to be small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import kanon_engine as kanon
from kanon_engine.registry import family_named

LARGEST = "largest group"
CELLS = "hidden cells"
METRICS = {
    "DM": "discernibility",
    "CM": "records against the majority",
    "AVG": "records beyond k a group",
    "LM": "loss of detail",
}


def by_largest(family: str) -> bool:
    """Whether the cost is the largest group."""
    return family_named(family).min_max


def cost_noun(family: str, algorithm: str, options: Mapping[str, Any]) -> str:
    """What the cost counts."""
    if by_largest(family):
        return LARGEST
    return METRICS.get(str(options.get("metric")), CELLS if algorithm == "cell-suppression" else "cost")


def noun_of(g: kanon.Generalization) -> str:
    """What the cost of a result counts."""
    return cost_noun(g.family, g.algorithm, g.options)


def measured(g: kanon.Generalization) -> str:
    """The cost with its noun, short."""
    return f"largest {g.cost:,}" if by_largest(g.family) else f"{noun_of(g)} {g.cost:,}"
