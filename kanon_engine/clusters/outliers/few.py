"""Few clusters: what so many of them can hold bounds the radius, and the fullest disks are often a good start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.clusters.gather.solution import Solution
from kanon_engine.clusters.outliers.centering import centered, cheaper, settled, trimmed
from kanon_engine.clusters.outliers.coverage import Net, disks, disks_fail, fails
from kanon_engine.model.objective import Bound


def least_width(net: Net, k: int, clusters: int, least: int) -> float:
    """A distance at which `coverage` covers at least `least` records, behind one at which so many clusters cannot."""
    return _behind_failures(net, lambda width: fails(net, width, k, clusters, least))


def coverage_bound(net: Net, width: float, free: bool) -> tuple[Bound, np.ndarray]:
    """What the failure below that width proves, with its price: docs/proofs/clusters/center_outliers.md."""
    value = net.space.definitions.half(max(0.0, width - 2 * net.loss))
    value = net.space.definitions.free_radius(value) if free else value
    return Bound(value, "coverage", witness=_witness(net)), np.array([[width]])


def disks_bound(net: Net, k: int, clusters: int, least: int) -> tuple[Bound, np.ndarray]:
    """What so many disks around points cannot hold, with its price: docs/proofs/clusters/center_outliers.md."""
    radius = _behind_failures(net, lambda width: disks_fail(net, width, k, clusters, least))
    value = max(0.0, 2 * net.space.definitions.half(radius) - 2 * net.loss) if net.loss else radius
    return Bound(value, "disks", witness=_witness(net)), np.array([[radius]])


def by_disks(
    net: Net, best: Solution, k: int, most: int, clusters: int, centers: str, goes_on: Callable[[float], bool]
) -> Solution:
    """The best of the clustering, and those of the fullest disks of radii by halving, after points have moved.

    Each point joins the nearest center, and whoever makes the largest radius is left out. The cost never grows.
    """
    space, radii = net.space, np.unique(net.apart)

    def better(one: Solution) -> Solution:
        return trimmed(space, settled(space, one, k, most, centers), k, most, centers)

    best = better(best)
    low, high = -1, int(np.searchsorted(radii, best.cost))
    while high - low > 1 and goes_on(best.cost):
        middle = (low + high) // 2
        owner = disks(net, float(radii[middle]), k, clusters)
        if net.weights[owner < 0].sum() <= most:
            high = middle
            best = cheaper(best, better(of_places(net, owner, centers)))
        else:
            low = middle
    return best


def of_places(net: Net, owner: np.ndarray, centers: str) -> Solution:
    """The clustering in which every point is where its place is."""
    places = np.array([net.places[owner == number][0] for number in range(int(owner.max()) + 1)])
    return centered(net.space, owner[net.owner], places, centers)


def _behind_failures(net: Net, failed: Callable[[float], bool]) -> float:
    """A distance that does not fail, while the one before it does, if there is one; the last one must not fail."""
    widths = np.unique(net.apart)
    low, high = -1, len(widths) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if failed(float(widths[middle])):
            low = middle
        else:
            high = middle
    return float(widths[high])


def _witness(net: Net) -> tuple[int, ...]:
    return tuple(net.places.tolist()) if len(net.places) < len(net.owner) else ()
