"""The headline with which every result begins."""

from __future__ import annotations

import math

from kanon_engine import Generalization
from kanon_engine.model.requirement import UNKNOWN, best_possible, by_word, percent_up
from kanon_engine.model.words import number_text, times_k
from pages._shared.costs import objective_of
from pages._shared.wording import escaped, listed

NOT_ANONYMOUS = "Not k-anonymous: groups may be lighter than k, and no release can be made from this."
BADGES = {"checked": "Checked ✓", "solver": "By search"}
BADGE_HELP = {
    "checked": "Every claim was checked by a separate verifier, which imports no algorithm.",
    "solver": "Every claim but one was checked by a separate verifier, which imports no algorithm. The bound is "
    "reported by the solver: there are too many solutions to examine them all. `kanon verify --rerun` repeats it.",
}


def headline(g: Generalization, unit: str, proof: str) -> str:
    """What was found and how good it is, as Markdown; only for verified results, with their certificate's `proof`.

    Example
    -------
    31 groups. The smallest holds 5,021 people, the largest 6,240 (1.25 × k). No grouping can do better than 6,093:
    this is within 2.5 % of the best possible.
    """
    smallest, largest, objective = int(g.class_weights.min()), int(g.class_weights.max()), objective_of(g)
    unit = escaped(unit)
    minima = [f"{minimum.m:,} {escaped(minimum.column)}" for minimum in g.require]
    if g.classes == 1:
        found = f"1 group of {largest:,} {unit} ({times_k(g.overfull_ratio)})"
        found += f" and at least {listed(minima)}." if minima else "."
    else:
        asked = f" of at least {listed([f'{g.k:,} {unit}', *minima])}" if minima else ""
        found = (
            f"{g.classes:,} groups{asked}. The smallest holds {smallest:,} {unit}, "
            f"the largest {largest:,} ({times_k(g.overfull_ratio)})."
        )
    if not objective.is_largest_class:
        found += f" The cost ({objective.noun}) is {number_text(g.cost)}."
    if g.status == "relaxed":
        return f":red[**{NOT_ANONYMOUS}**] {found} {nearness(g, proof)}"
    return f"{found} {nearness(g, proof)}"


def nearness(g: Generalization, proof: str) -> str:
    """How close the cost is to the best possible, and on whose word."""
    objective = objective_of(g)
    if g.status == "relaxed":
        least = f"{g.details.threshold:,}"
        bound = number_text(g.lower_bound)
        return f"Groups had to reach {least} only; no grouping into such groups can do better than {bound}."
    if g.status == "optimal":
        return f"No {objective.solution} {objective.less}: {best_possible(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    near = f"this is within {percent_up(g.gap)} of the best possible{by_word(proof)}"
    return f"No {objective.solution} can do better than {number_text(g.lower_bound)}: {near}."
