"""How many records so many sets of a small diameter can hold: section 2.4 of the paper at one width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import BLOCK, nearest_center

MOST_PLACES = 2_000  # of which all distances are kept; more points are gathered at so many places


@dataclass(frozen=True)
class Net:
    """Places that stand for all points.

    Attributes
    ----------
    space : MetricSpace
    places : (p,) int64 array
        Positions of points; all of them where they are few.
    owner : (n,) int64 array
        The place, 0 … p - 1, that stands for each point.
    weights : (p,) float64 array
        Records at each place.
    apart : (p, p) float64 array
        Distances.
    loss : float
        The largest distance of a point from its place.
    """

    space: MetricSpace
    places: np.ndarray
    owner: np.ndarray
    weights: np.ndarray
    apart: np.ndarray
    loss: float


@dataclass(frozen=True)
class Coverage:
    """What came of one width.

    Attributes
    ----------
    centers : (c,) int64 array
        Places in the net, in the order they were chosen; pairwise farther apart than twice the width.
    kept : (p,) bool array
        Places with k records within the width that are themselves kept.
    owner : (p,) int64 array
        Which center, 0 … c - 1, covers a place; -1 for none.
    covered : int
        Records at places that are covered. No so many clusters with diameters up to the width hold more.
    """

    centers: np.ndarray
    kept: np.ndarray
    owner: np.ndarray
    covered: int


def net_of(space: MetricSpace, most: int = MOST_PLACES) -> Net:
    """All points, or `most` of them, each the farthest from those before it.

    O(n `most`) distances.

    Example
    -------
    >>> net = net_of(MetricSpace([[0], [1], [9], [10]]), 2)
    >>> net.places.tolist(), net.weights.tolist(), net.loss
    ([0, 3], [2.0, 2.0], 1.0)
    """
    if len(space) <= most:
        places = np.arange(len(space))
        return Net(space, places, places, space.weights.astype(np.float64), space.between(places), 0.0)
    chosen = [0]
    nearest = space.distances(0)
    while len(chosen) < most and nearest.max() > 0:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, space.distances(chosen[-1]))
    places = np.array(chosen, dtype=np.int64)
    number = np.zeros(len(space), dtype=np.int64)
    number[places] = np.arange(len(places))
    owner = number[nearest_center(space, np.arange(len(space)), places)]
    loss = float(space.paired(np.arange(len(space)), places[owner]).max())
    weights = np.bincount(owner, weights=space.weights, minlength=len(places))
    return Net(space, places, owner, weights, space.between(places, places), loss)


def coverage(net: Net, width: float, k: int, clusters: int) -> Coverage:
    """The greedy step of section 2.4 with 2R = `width`, among the points that peeling keeps.

    Guarantee: `covered` is at least what any `clusters` sets with diameters up to the width and k records each hold.
    Lemma 2.5 of the paper counts records that it never assigns; here a center has its k among those that are kept.
    docs/proofs/clusters/center_outliers.md

    O(p²) for p places.

    References
    ----------
    G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010), section 2.4,
    Lemmas 2.5 to 2.7.

    Example
    -------
    The paper's step leaves a cluster of one on the line 0, 4, 8 with k = 3, of which two may be left out:

    >>> line = net_of(MetricSpace([[0], [4], [8]]))
    >>> coverage(line, 4.0, 3, 1).covered, coverage(line, 8.0, 3, 1).covered
    (0, 3)
    """
    near = net.apart <= width
    kept = _kept(near, net.weights, k)
    free = kept.copy()
    own = near @ np.where(free, net.weights, 0.0)
    reach = twice(net.space, width)
    owner = np.full(len(kept), -1, dtype=np.int64)
    centers: list[int] = []
    while len(centers) < clusters and free.any():
        center = int(np.where(free, own, -1.0).argmax())
        taken = free & (net.apart[center] <= reach)
        owner[taken] = len(centers)
        centers.append(center)
        free &= ~taken
        own = own - near[:, taken] @ net.weights[taken]
    return Coverage(np.array(centers, dtype=np.int64), kept, owner, int(net.weights[owner >= 0].sum()))


def most_held(net: Net, near: np.ndarray, held: np.ndarray, centers: np.ndarray, clusters: int) -> float:
    """More records than this are not within so many of some balls.

    Take the ball that holds most of what no ball before it does, again and again. At any time no solution holds more
    than all balls that were taken, and the largest gains that so many further ones could bring. Nemhauser, Wolsey,
    Fisher (1978).

    Parameters
    ----------
    net : Net
    near : (p, p) bool array
        The ball around each place.
    held : (p,) bool array
        Places that count.
    centers : (p,) bool array
        Places around which there may be a ball.
    clusters : int
    """
    free = held.copy()
    gains = np.where(centers, near @ np.where(free, net.weights, 0.0), 0.0)
    count = min(clusters, len(gains))
    taken_weight, best = 0.0, float(net.weights[free].sum())
    for _ in range(count):
        best = min(best, taken_weight + float(np.partition(gains, len(gains) - count)[len(gains) - count :].sum()))
        center = int(gains.argmax())
        if gains[center] <= 0:
            break
        taken = free & near[center]
        taken_weight += float(net.weights[taken].sum())
        free &= ~taken
        gains = np.where(centers, gains - near[:, taken] @ net.weights[taken], 0.0)
    return best


def fails(net: Net, width: float, k: int, clusters: int, least: int) -> bool:
    """Whether so many clusters with diameters up to the width and k records each hold fewer than `least` records.

    A proof where it is true: docs/proofs/clusters/center_outliers.md. Where it is not, `coverage` covers at
    least so many.
    """
    found = coverage(net, width, k, clusters)
    if found.covered < least:
        return True
    return most_held(net, np.asarray(net.apart <= width), found.kept, found.kept, clusters) < least


def disks_fail(net: Net, radius: float, k: int, clusters: int, least: int) -> bool:
    """Whether so many disks of a radius around points, with k records each, hold fewer than `least` records."""
    near = np.asarray(net.apart <= radius)
    centers = near @ net.weights >= k
    return most_held(net, near, np.asarray(near[:, centers].any(axis=1)), centers, clusters) < least


def disks(net: Net, radius: float, k: int, clusters: int) -> np.ndarray:
    """(p,) int64: the class of each place, -1 for none; the fullest disk is taken while it holds k, again and again.

    No guarantee; often all that must be covered is, at a radius far below that of `coverage`.
    """
    near = net.apart <= radius
    held = near @ net.weights
    owner = np.full(len(net.places), -1, dtype=np.int64)
    for number in range(clusters):
        center = int(held.argmax())
        if held[center] < k:
            break
        taken = near[center] & (owner < 0)
        owner[taken] = number
        held = held - near[:, taken] @ net.weights[taken]
    return owner


def twice(space: MetricSpace, width: float) -> float:
    """How far two points can be from each other that are within a width of a third, in spite of rounding."""
    return 4 * width - 2 * space.definitions.half(2 * width)


def _kept(near: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """Take away all places with fewer than k records near, again and again."""
    kept = np.ones(len(weights), dtype=bool)
    held = near @ weights
    while True:
        gone = kept & (held < k)
        if not gone.any():
            return kept
        kept &= ~gone
        held = held - near[:, gone] @ weights[gone]


def assigned(net: Net, found: Coverage) -> np.ndarray:
    """(p,) int64: the nearest center of each place that is covered, -1 for others."""
    owner = found.owner.copy()
    inside = np.flatnonzero(owner >= 0)
    step = max(1, BLOCK // len(found.centers))
    for begin in range(0, len(inside), step):
        some = inside[begin : begin + step]
        owner[some] = net.apart[some][:, found.centers].argmin(axis=1)
    return owner
