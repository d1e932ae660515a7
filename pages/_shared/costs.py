"""What a result costs, in words: in most families its largest group, else what was chosen to be small."""

from __future__ import annotations

import kanon_engine as kanon
from kanon_engine.registry import family_named
from pages._shared.results import Choice


def noun_of(g: kanon.Generalization) -> str:
    """What the cost of a result counts."""
    return family_named(g.family).cost.noun(g.options)


def noun_of_choice(choice: Choice) -> str:
    """What the cost of its results counts."""
    return family_named(choice.algorithm.family).cost.noun(dict(choice.options))


def measured(g: kanon.Generalization) -> str:
    """The cost with its noun, short."""
    return f"largest {g.cost:,}" if family_named(g.family).cost.by_largest else f"{noun_of(g)} {g.cost:,}"
