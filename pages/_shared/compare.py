"""Two results side by side, and one line on what differs."""

from __future__ import annotations

from collections.abc import Iterable

from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.registry import family_named
from pages._shared.costs import objective_of


def title(g: kanon.Generalization) -> str:
    """Name of the algorithm, and k."""
    return f"{algorithm_title(g)}, k = {g.k:,}"


def algorithm_title(g: kanon.Generalization) -> str:
    """Name of the algorithm that found it."""
    return family_named(g.family).makers[g.algorithm].title


def difference(g: kanon.Generalization, second: kanon.Generalization, unit: str) -> str:
    """How the second result differs from the first, in a sentence."""
    groups, cost = second.classes - g.classes, second.cost - g.cost
    if groups:
        more = "more" if groups > 0 else "fewer"
        words = f"The second has {abs(groups):,} {more} group{'s' * (abs(groups) != 1)}"
    else:
        words = "The second has as many groups"
    if objective_of(g).noun != objective_of(second).noun:
        return f"{words}. The two make different things small, so their costs cannot be compared."
    return f"{words}, and {objective_of(g).compared(cost, unit)}."


def same_heights(figures: Iterable[go.Figure], tallest: int) -> None:
    """Bars of all figures on one scale, so that equal heights mean equal sizes."""
    for figure in figures:
        if any(trace.type == "bar" for trace in figure.data):
            figure.update_yaxes(range=[0, 1.08 * tallest])
