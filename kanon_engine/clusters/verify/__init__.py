"""The independent check of clusterings: who is left out, centers and radii, the cost, the bound, the guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.verify import cellular, outliers, radius, squares
from kanon_engine.clusters.verify.digits import six_digit_radii
from kanon_engine.verification.check import COST, Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

BOUNDS: dict[str, dict[str, Callable[[MetricSpace, Generalization], Check]]] = {
    "radius": {**radius.BOUNDS, **outliers.FEW_CLUSTERS},
    "radius, some left out": {**outliers.BOUNDS},
    "cellular": {**cellular.BOUNDS},
    "squares": {**squares.BOUNDS},
}  # by cost
GUARANTEES: dict[str, Callable[[MetricSpace, Generalization], Check]] = {
    **radius.GUARANTEES,
    **outliers.GUARANTEES,
    **cellular.GUARANTEES,
}
SEARCH = "exact search"


def verify(space: MetricSpace, g: Generalization) -> Iterator[Check]:
    """Every claim that only clusterings make; see `kanon_engine.verification.verify`."""
    details = g.details
    yield Check("details", isinstance(details, ClusterDetails), f"the details are a {type(details).__name__}.")
    yield _form(space, g, details)
    yield _left_out(space, g)
    yield _few(g)
    yield _centers(space, g, details)
    same = _radii_hold(space, g.assignment, details)
    yield Check("radii", same, f"no record is farther from its center than the radius says, and one is as far: {same}.")
    radii = details.radii
    counted = g.options.get("cost") or COST_OF.get(g.algorithm, "radius")
    cost = COSTS[counted](space, g, radii)
    yield Check(COST, g.cost == cost, f"worked out again it is {cost!r}, the result says {g.cost!r}.")
    yield _bound(space, g, counted)
    formula = GUARANTEES.get(g.algorithm)
    if formula is None or g.require:
        yield Check("guarantee formula", g.guarantee is None, "no ceiling is proven beforehand.")
    else:
        yield formula(space, g)


def _bound(space: MetricSpace, g: Generalization, counted: str) -> Check:
    """The argument that the result names, with its witness; of a search the name alone."""
    if g.bound_kind == "solver":
        empty = g.bound_name == SEARCH and g.bound_witness == ()
        return Check("bound", empty, "it stands on the search's word; no witness is checked.")
    fewer = ", some left out" if counted == "radius" and "epsilon" in g.options else ""
    known = BOUNDS[counted + fewer].get(g.bound_name)
    if known is None or (g.bound_name in squares.BOUNDS and g.bound_witness != ()):
        return Check("bound witness", False, f"there is no argument “{g.bound_name}” with such a witness.")
    return known(space, g)


def _form(space: MetricSpace, g: Generalization, details: ClusterDetails) -> Check:
    width = space.points.shape[1] if space.free else 0
    kinds = details.places.dtype == np.int64 and all(
        array.dtype == np.float64 for array in (details.centers, details.radii, details.prices, details.curve)
    )
    shapes = details.places.shape == details.radii.shape == (g.classes,) and details.centers.shape == (g.classes, width)
    curve = details.curve.ndim == 2 and details.curve.shape[1] == 3 and details.prices.ndim == 2
    ends = curve and (len(details.curve) == 0 or details.curve[-1, 1:].tolist() == [g.cost, g.lower_bound])
    found = (
        f"{len(details.places):,} centers with {len(details.radii):,} radii; the search's curve ends with the result."
    )
    return Check("clusters", bool(kinds and shapes and ends), found)


def _left_out(space: MetricSpace, g: Generalization) -> Check:
    """At most the share that may be, of records."""
    out = int(space.weights[g.assignment < 0].sum())
    share = Decimal(repr(g.options.get("epsilon", 0.0)))
    most = math.floor(share * space.total)
    return Check("left out", out <= most, f"{out:,} records are left out, at most {most:,} may be.")


def _few(g: Generalization) -> Check:
    """No more classes than there may be."""
    most = g.options.get("max_clusters")
    words = "and no most was set" if most is None else f"at most {most:,} may be"
    return Check("clusters asked for", most is None or g.classes <= most, f"there are {g.classes:,}, {words}.")


def _centers(space: MetricSpace, g: Generalization, details: ClusterDetails) -> Check:
    """Are they where the option says, and points where they say so?"""
    places, centers = details.places, details.centers
    inside = bool(((places >= -1) & (places < len(space))).all())
    choice = "means" if COST_OF.get(g.algorithm) == "squares" else g.options.get("centers", "any")
    fixed = places >= 0
    allowed = bool(fixed.all()) if choice == "input" or not space.free else True
    own = inside and (not space.free or np.array_equal(centers[fixed], space.points[places[fixed]]))
    good = inside and allowed and own and bool(np.isfinite(centers).all())
    if good and choice == "means" and space.free:
        good = not fixed.any() and all(
            any(np.array_equal(center, mean) for mean in _means(space, own))
            for center, own in zip(centers, _members(g), strict=True)
        )
    return Check(
        "centers", bool(good), f"{int(fixed.sum()):,} of {len(places):,} centers are points, as “{choice}” allows."
    )


def _members(g: Generalization) -> Iterator[np.ndarray]:
    """The positions of the points of each class."""
    order = np.argsort(g.assignment, kind="stable")
    start = np.searchsorted(g.assignment[order], np.arange(g.classes + 1))
    for first, end in zip(start.tolist(), start[1:].tolist(), strict=False):
        yield order[first:end]


def _means(space: MetricSpace, own: np.ndarray) -> Iterator[np.ndarray]:
    """The mean of the records of a class; and that of its points, as results once said."""
    for counts in (space.counts[own], np.ones(len(own), dtype=np.int64)):
        columns = (space.points[own] * counts[:, None]).T.tolist()
        yield np.array([math.fsum(column) / int(counts.sum()) for column in columns])


def _radii_hold(space: MetricSpace, assignment: np.ndarray, details: ClusterDetails) -> bool:
    """Whether each radius is the largest distance of the class from its center, class by class."""
    members: list[list[int]] = [[] for _ in details.radii]
    for place, own in enumerate(assignment.tolist()):
        if own >= 0:
            members[own].append(place)
    for number, own in enumerate(members):
        place = int(details.places[number])
        if place >= 0:
            known = {float(space.distances(place, own).max())}
        else:
            known = six_digit_radii(space, float(space.from_center(details.centers[number], own).max()))
        if details.radii[number] not in known:
            return False
    return True


def _radius(space: MetricSpace, g: Generalization, radii: np.ndarray) -> float:
    return float(max(radii.tolist()))


def _cellular(space: MetricSpace, g: Generalization, radii: np.ndarray) -> float:
    opened = [float(g.options.get("facility_cost", 0.0))] * g.classes
    return math.fsum(
        [*(weight * radius for weight, radius in zip(g.class_weights.tolist(), radii.tolist(), strict=True)), *opened]
    )


def _squares(space: MetricSpace, g: Generalization, radii: np.ndarray) -> float:
    parts = []
    for own, mean in zip(_members(g), g.details.centers.tolist(), strict=True):
        for column, middle in zip(space.points[own].T.tolist(), mean, strict=True):
            parts += [(value - middle) * (value - middle) for value in column]
    return math.fsum(parts)


COSTS: dict[str, Callable[[MetricSpace, Generalization, np.ndarray], float]] = {
    "radius": _radius,
    "cellular": _cellular,
    "squares": _squares,
}
COST_OF = {"cellular": "cellular", "r-cellular": "cellular", "r-cellular-outliers": "cellular"} | {
    "mdav": "squares",
    "v-mdav": "squares",
}  # by algorithm; all others make the largest radius small
