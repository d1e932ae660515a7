"""What a certificate says of a result, in one sentence: how large groups are, and how near to the best possible."""

from __future__ import annotations

import math
from typing import Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.model.requirement import (
    UNKNOWN,
    Minimum,
    best_possible,
    by_word,
    demand_words,
    demands_in,
    percent,
    within_words,
)
from kanon_engine.model.words import counted, number_text, one_line

RELAXED = "Not every group reaches k: groups may be smaller, and no release can be made from this."


def certified(instance: Any, g: Generalization, proof: str) -> str:
    """The sentences; `proof` is the certificate's.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcd", [3, 2, 2, 4])
    >>> certified(labels, kanon.generalize(labels, 5, "exact"), "checked")
    '2 groups of 5 to 6 records. No grouping has a smaller largest group: proven best possible.'
    """
    least, most, unit = int(g.class_weights.min()), int(g.class_weights.max()), one_line(instance.unit)
    sizes = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    left_out = instance.total - int(g.class_weights.sum())
    words = [f"{counted(g.classes, 'group')} of {sizes} {unit}."]
    if left_out:
        words.append(f"Left out: {left_out:,} of {instance.total:,} {unit} ({percent(left_out / instance.total)}).")
    return " ".join([*words, nearness(g, proof)])


def nearness(g: Generalization, proof: str) -> str:
    """How close the cost is to the best possible, among what, and on whose word."""
    family = family_named(g.family)
    objective, among = family.objective(g.algorithm, g.options), family.makers[g.algorithm].among
    if g.status == "relaxed":
        return RELAXED
    solution = objective.solution
    if not objective.is_largest_class:
        solution += " with these options"  # metric, limits on clusters and on what is left out
    solution += " that keeps to what is required" if g.require else ""
    among = f" {among}" if among else ""
    if g.status == "optimal":
        return f"No {solution} {objective.less}: {best_possible(proof)}{among}."
    if math.isinf(g.gap):
        return UNKNOWN
    near = f"this is {within_words(g.gap)} the best possible{among}{by_word(proof)}"
    return f"No {solution} can do better than {number_text(g.lower_bound)}: {near}."


def required(g: Generalization) -> tuple[str, ...]:
    """What every group has besides k, as it was asked for."""
    minima = [f"at least {one.m:,} {one_line(one.column)}" for one in g.require if isinstance(one, Minimum)]
    return (*minima, *(one_line(demand_words(one)) for one in demands_in(g.require)))
