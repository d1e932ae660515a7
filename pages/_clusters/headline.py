"""The headline of a clustering: how many clusters, how far records are from their centers, and how good that is."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import kanon_engine as kanon
from kanon_engine.clusters.left_out import most_left_out
from kanon_engine.clusters.squares import information_loss
from kanon_engine.model.requirement import UNKNOWN, best_possible, by_word, percent_up, within_words
from kanon_engine.model.words import number_text
from kanon_engine.verification.clusters import cost_of
from pages._shared.costs import objective_of
from pages._shared.wording import escaped


def cluster_headline(space: kanon.MetricSpace, g: kanon.Generalization, proof: str) -> str:
    """What was found and how good it is, as Markdown; for verified results, with their certificate's `proof`."""
    sizes, unit = g.class_weights, escaped(space.unit)
    least, most = int(sizes.min()), int(sizes.max())
    clusters = f"{g.classes:,} cluster{'s' * (g.classes != 1)}"
    found = f"{clusters} of {least:,} {unit}." if least == most else f"{clusters} of {least:,} to {most:,} {unit}."
    out = space.total - int(sizes.sum())
    left_out = f" {out:,} {unit} are left out ({percent_up(out / space.total)})." if out else ""
    return f"{found}{left_out} {cost_words(space, g)} {nearness(space, g, proof)}"


def cost_words(space: kanon.MetricSpace, g: kanon.Generalization) -> str:
    """What the cost says."""
    measure, cost = f" {space.measure}".rstrip(), cost_of(g.algorithm, g.options)
    if cost == "radius":
        return f"No record is farther than {above(g.cost)}{measure} from its center."
    if cost == "squares":
        lost = above(information_loss(space, g))
        return f"Squared distances to the means sum to {above(g.cost)}, an information loss of {lost} %."
    apart = above(math.fsum((g.details.radii * g.class_weights).tolist()) / int(g.class_weights.sum()))
    with_setup = ", set-up costs included" if g.options.get("facility_cost") else ""
    return (
        f"A record's cluster has a radius of {apart}{measure} on average (cellular cost {above(g.cost)}{with_setup})."
    )


def above(value: float) -> str:
    """A distance that is not told smaller than it is, to four digits.

    Example
    -------
    >>> above(1.07384), below(0.897219), above(23456.7), above(3.0)
    ('1.074', '0.8972', '23,460', '3')
    """
    return _rounded(value, ROUND_CEILING)


def below(value: float) -> str:
    """A bound that is not told larger than it is, to four digits."""
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: float, way: str) -> str:
    return number_text(float(Context(4, way).create_decimal(Decimal(f"{value:.12g}"))))


def nearness(space: kanon.MetricSpace, g: kanon.Generalization, proof: str) -> str:
    """How close the cost is to the best possible, and on whose word."""
    objective = objective_of(g)
    solution = f"{objective.solution}{_limits(space, g)}"
    if g.status == "optimal":
        return f"No {solution} {objective.less}: {best_possible(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    measure = f" {space.measure}".rstrip() if cost_of(g.algorithm, g.options) == "radius" else ""
    bound = f"{below(g.lower_bound)}{measure}"
    return f"No {solution} can do better than {bound}: {within_words(g.gap)} the best possible{by_word(proof)}."


def _limits(space: kanon.MetricSpace, g: kanon.Generalization) -> str:
    """Among which clusterings it is the best, where options leave some out."""
    limits = []
    if space.free and g.options.get("centers") == "input":
        limits.append("around points of the file")
    if g.options.get("max_clusters") is not None:
        limits.append(f"of at most {g.options['max_clusters']:,} clusters")
    if "epsilon" in g.options:
        most = most_left_out(space, g.options["epsilon"])
        limits.append(f"that leaves out at most {most:,}" if most else "of all records")
    return "".join(f" {words}" for words in limits)
