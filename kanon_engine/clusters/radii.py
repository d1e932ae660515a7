"""Centers with their radii: the details of every result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.model.generalization import members_of

NO_PRICES = np.zeros((0, 0))


def radius_around(space: MetricSpace, center: np.ndarray, members: np.ndarray) -> float:
    """The radius of a cluster around a free center."""
    return space.definitions.free_radius(float(space.from_center(center, members).max()))


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
