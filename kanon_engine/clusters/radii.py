"""Centers with their radii: the details of every result."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import numpy as np

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.model.classes import members_of

DIGITS = 6  # of a radius around a free center
ROUNDING, LAST_DIGIT, MOST_FORGIVEN = 1e-12, 1e-15, 5e-10  # shares that are forgiven; see `free_radius`
NO_PRICES = np.zeros((0, 0))


def rounded_up(radius: float, digits: int = DIGITS) -> float:
    """The least float that is not below a radius and is the nearest one to a number of so many digits.

    It never falls where the radius grows, and changes nothing the second time. So the radius of the best solution,
    rounded up, is the least among all radii that are rounded up, and a bound on radii, rounded up, is one on these.

    Example
    -------
    >>> rounded_up(1.0), rounded_up(358.7683241), rounded_up(0.0)
    (1.0, 358.769, 0.0)
    """
    if radius == 0:
        return 0.0
    exact = Decimal(radius)
    down = float(Context(digits, ROUND_FLOOR).create_decimal(exact))
    return down if down >= radius else float(Context(digits, ROUND_CEILING).create_decimal(exact))


def free_radius(space: MetricSpace, radius: float) -> float:
    """The radius of a cluster around a free center, six digits, of the largest distance of a record from it.

    What rounding a center to floats may have added is forgiven before the radius is rounded up: 10⁻¹² of it and 10⁻¹⁵
    of the largest coordinate, 5 · 10⁻¹⁰ of it at most. So points 0.3 apart have the radius 0.15 wherever they are. It
    never falls where the radius grows: of a lower bound on radii it makes one on these.

    Example
    -------
    >>> space = MetricSpace([[0.1], [0.4]])
    >>> apart = float(space.from_center([0.25]).max())
    >>> apart, rounded_up(apart), free_radius(space, apart)
    (0.15000000000000002, 0.150001, 0.15)
    """
    return rounded_up(radius - forgiven(space, radius))


def forgiven(space: MetricSpace, radius: Any) -> Any:
    """What rounding a center to floats may add to a radius, or to each of an array."""
    if space.metric == "haversine":  # distances are rounded to the millimetre
        return 0.0 * radius
    return np.minimum(ROUNDING * radius + LAST_DIGIT * space.reach, MOST_FORGIVEN * radius)


def radius_around(space: MetricSpace, center: np.ndarray, members: np.ndarray) -> float:
    """The radius of a cluster around a free center."""
    return free_radius(space, float(space.from_center(center, members).max()))


def six_digits_below(radius: float) -> float:
    """The largest float that is the nearest one to a number of six digits and below one of that kind above 0.

    Example
    -------
    >>> six_digits_below(1.0), six_digits_below(358.769)
    (0.999999, 358.768)
    """
    exact = Context(DIGITS, ROUND_HALF_EVEN).create_decimal(Decimal(radius))
    return float(exact.next_minus(Context(DIGITS)))


def details_of(
    space: MetricSpace,
    assignment: np.ndarray,
    *,
    places: Sequence[int] | np.ndarray | None = None,
    centers: np.ndarray | None = None,
    prices: np.ndarray = NO_PRICES,
    curve: Sequence[Sequence[float]] | np.ndarray = (),
) -> ClusterDetails:
    """The record of a result, with the radius of every class.

    Parameters
    ----------
    space : MetricSpace
    assignment : (n,) int array
        Class of each point, 0 … m - 1, or -1.
    places : (m,) ints, optional
        Positions of centers that are points; -1, or None for all, where they are free.
    centers : (m, d) float64 array, optional
        Free centers; the rows of others do not matter.
    prices, curve
        As in `ClusterDetails`.
    """
    classes = int(assignment.max()) + 1
    spots = np.full(classes, -1, dtype=np.int64) if places is None else np.asarray(places, dtype=np.int64)
    shown = np.zeros((classes, 0))
    if space.free:
        shown = np.zeros((classes, space.points.shape[1])) if centers is None else np.array(centers, dtype=np.float64)
        shown[spots >= 0] = space.points[spots[spots >= 0]]
    return ClusterDetails(
        spots,
        shown,
        radii_of(space, assignment, spots, shown),
        prices,
        np.array(curve, dtype=np.float64).reshape(-1, 3),
    )


def radii_of(space: MetricSpace, assignment: np.ndarray, places: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """(m,) float64: the largest distance of a member from its center, class by class."""
    inside = np.flatnonzero(assignment >= 0)
    own = places[assignment[inside]]
    radii = np.zeros(len(places))
    fixed = own >= 0
    np.maximum.at(radii, assignment[inside[fixed]], space.paired(inside[fixed], own[fixed]))
    for number, members in enumerate(members_of(assignment, len(places))):
        if places[number] < 0:
            radii[number] = radius_around(space, centers[number], members)
    return radii


def largest(details: ClusterDetails) -> float:
    """The cost "radius"."""
    return float(details.radii.max())
