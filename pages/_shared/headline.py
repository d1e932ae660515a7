"""The headline with which every result begins."""

from __future__ import annotations

import math

from kanon_engine import Generalization
from kanon_engine.model.words import number_text
from pages._shared.costs import objective_of
from pages._shared.wording import escaped, listed

NOT_ANONYMOUS = "Not k-anonymous: groups may be lighter than k, and no release can be made from this."
UNKNOWN = "How far this is from the best possible is not known."
BADGES = {"checked": "Checked ✓", "solver": "By search"}
BADGE_HELP = {
    "checked": "Every claim was checked by code that shares nothing with the algorithm.",
    "solver": "Every claim but one was checked by code that shares nothing with the algorithm. The bound is the word "
    "of a search: there are too many solutions to look at all of them again. `kanon verify --rerun` repeats it.",
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
        found = f"1 group of {largest:,} {unit} ({g.overfull_ratio:.2f} × k)"
        found += f" and at least {listed(minima)}." if minima else "."
    else:
        asked = f" of at least {listed([f'{g.k:,} {unit}', *minima])}" if minima else ""
        found = (
            f"{g.classes:,} groups{asked}. The smallest holds {smallest:,} {unit}, "
            f"the largest {largest:,} ({g.overfull_ratio:.2f} × k)."
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
    near = f"this is within {percent(g.gap)} of the best possible{by_word(proof)}"
    return f"No {objective.solution} can do better than {number_text(g.lower_bound)}: {near}."


def within_words(gap: float) -> str:
    """How far a cost is from its bound, as words before "the best possible".

    Example
    -------
    >>> within_words(0.0241), within_words(1.5)
    ('within 2.5 % of', 'at most 2.5 times')
    """
    return f"within {percent(gap)} of" if gap < 1 else f"at most {math.ceil(10 * gap + 10 - 1e-9) / 10:,.1f} times"


def best_possible(proof: str) -> str:
    """What may be said of an optimum.

    Example
    -------
    >>> best_possible("checked"), best_possible("solver")
    ('proven best possible', 'best possible by the search’s word')
    """
    return "proven best possible" if proof == "checked" else f"best possible{by_word(proof)}"


def by_word(proof: str) -> str:
    """Nothing where the claim was checked."""
    return "" if proof == "checked" else " by the search’s word"


def percent(share: float) -> str:
    """A share in words, never rounded down to nothing and never made better than it is.

    Example
    -------
    >>> percent(0.0241), percent(0.00001), percent(1.5)
    ('2.5 %', '0.1 %', '150 %')
    """
    tenths = -(-share * 1000 // 1)
    return f"{tenths / 10:.1f} %" if tenths < 200 else f"{-(-share * 100 // 1):.0f} %"
