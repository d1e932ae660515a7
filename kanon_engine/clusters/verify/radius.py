"""The independent check of bounds and ceilings on the largest radius."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.verify.digits import six_digit_radii, six_digits_below, six_digits_up
from kanon_engine.clusters.verify.discs import disc_holds
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def need(space: MetricSpace, g: Generalization) -> Check:
    """Bound A: the witness has no center within less that has k records within less."""
    if len(positions(space, g)) != 1 or (space.free and g.options.get("centers") != "input"):
        return Check("bound witness", False, "“need” has one point as its witness, and centers that are points.")
    apart = space.distances(g.bound_witness[0])
    least = math.inf
    for center in np.argsort(apart, kind="stable").tolist():
        if apart[center] >= least:
            break
        least = min(least, max(float(apart[center]), _ball(space, center, g.k)))
    return _same(g, least)


def centers_apart(space: MetricSpace, g: Generalization) -> Check:
    """Bound D: the diameter below which each of the points has a cluster of its own, and together they lack records.

    It is the least distance between two of them, or the least within which they have k records for each.
    """
    places = positions(space, g)
    if not places or len(set(places)) != len(places):
        return Check("bound witness", False, "“centers apart” has different points as its witness.")
    nearest = np.full(len(space), np.inf)
    between = math.inf
    for number, place in enumerate(places):
        apart = space.distances(place)
        between = min([between, *apart[list(places[:number])].tolist()])
        nearest = np.minimum(nearest, apart)
    order = np.argsort(nearest, kind="stable")
    held = 0
    enough = math.inf
    for place in order.tolist():
        held += int(space.weights[place])
        if held >= g.k * len(places):
            enough = float(nearest[place])
            break
    return half_is_bound(space, g, min(between, enough))


def least_disc(space: MetricSpace, g: Generalization) -> Check:
    """Bound B: no disc that is smaller by one in the sixth digit holds the witness and k records."""
    plane = space.metric == "haversine" or (space.metric == "euclidean" and space.points.shape[1] <= 2)
    if len(positions(space, g)) != 1 or not plane or g.options.get("centers") == "input":
        return Check("bound witness", False, "“least disc” has one point as its witness, and free centers in a plane.")
    place, value = g.bound_witness[0], g.lower_bound
    if not 0 <= value < math.inf or value != six_digits_up(value):
        return Check("bound witness", False, f"{value!r} has more than six digits.")
    proven = value == 0 or not disc_holds(space, place, six_digits_below(value), g.k)
    more = 1e-5 if space.metric == "haversine" else 0.0
    reached = value == 0 or disc_holds(space, place, value * (1 + 1e-8) + more, g.k)
    found = f"no smaller disc holds point {place + 1} and {g.k:,} records: {proven}; one of this size does: {reached}."
    return Check("bound witness", proven and reached, found)


def positions(space: MetricSpace, g: Generalization) -> tuple[int, ...]:
    """The witness, if it is positions; else nothing."""
    good = all(type(place) is int and 0 <= place < len(space) for place in g.bound_witness)
    return g.bound_witness if good else ()


def _ball(space: MetricSpace, center: int, k: int) -> float:
    """The least distance within which there are k records."""
    apart = space.distances(center)
    order = np.argsort(apart, kind="stable")
    held = 0
    for place in order.tolist():
        held += int(space.weights[place])
        if held >= k:
            return float(apart[place])
    return math.inf


def _same(g: Generalization, value: float) -> Check:
    found = f"“{g.bound_name}” gives {value!r}, the result says {g.lower_bound!r}."
    return Check("bound witness", value == g.lower_bound, found)


def half_is_bound(space: MetricSpace, g: Generalization, diameter: float) -> Check:
    """Is the bound half of a diameter, six digits where centers are free?"""
    value = half_of(space, diameter)
    free = space.free and g.options.get("centers") != "input"
    found = f"“{g.bound_name}” gives {value!r}, the result says {g.lower_bound!r}."
    return Check("bound witness", g.lower_bound in (six_digit_radii(space, value) if free else {value}), found)


def half_of(space: MetricSpace, distance: float) -> float:
    """Half a distance, less what rounding may have done to the triangle inequality: docs/proofs/clusters/gather.md."""
    if space.metric == "precomputed" and not space.triangle:
        return 0.0
    if space.metric == "hamming" and (space.column_weights % 1 == 0).all():
        return distance / 2
    less = 1e-12 * distance
    if space.metric == "haversine":
        less += 1e-4 if distance < 19_000 else 1.0
    if space.metric == "precomputed":
        less += 1e-12 * float(space.points.max())
    return max(0.0, distance / 2 - less)


def ceiling_of(space: MetricSpace, ratio: float, bound: float) -> float:
    """So many times the bound, and what rounding may add."""
    more = 2 * ratio * 1e-12 * bound
    if space.metric == "haversine":
        more += ratio * (1e-4 if ratio * bound < 18_990 else 1.0)
    if space.metric == "precomputed":
        more += 2 * ratio * 1e-12 * float(space.points.max())
    return six_digits_up(ratio * bound + more)


BOUNDS: dict[str, Callable[[MetricSpace, Generalization], Check]] = {
    "need": need,
    "centers apart": centers_apart,
    "least disc": least_disc,
}


def gather_ceiling(space: MetricSpace, g: Generalization) -> Check:
    """In a metric 2 times the bound for single records; else 3 times around points, 6 times around free centers."""
    if space.metric == "precomputed" and not space.triangle:
        return Check("guarantee formula", g.guarantee is None, "nothing is proven without the triangle inequality.")
    if space.free and g.options.get("centers") == "means":
        return Check("guarantee formula", g.guarantee is None, "nothing is proven of means.")
    free = space.free and g.options.get("centers") != "input"
    single = space.total == len(space) <= 200_000
    value = ceiling_of(space, 2 if single else 6 if free else 3, g.lower_bound)
    if g.guarantee is None and g.status == "stopped":
        return Check("guarantee formula", g.cost > value, "it was stopped before its ceiling was reached.")
    return Check(
        "guarantee formula", g.guarantee == value, f"the ceiling is {value!r}, the result says {g.guarantee!r}."
    )


GUARANTEES: dict[str, Callable[[MetricSpace, Generalization], Check]] = {"gather": gather_ceiling}
