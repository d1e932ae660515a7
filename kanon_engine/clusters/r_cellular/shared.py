"""The shared solution of section 3.1, in which clusters share records, and how each record gets one (Lemma 3.6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.dual.opening import opened


@dataclass(frozen=True)
class Shared:
    """Clusters that may share records, the smallest radius first.

    Attributes
    ----------
    centers : (m,) int64 array
        Positions.
    radii : (m,) float64 array
    members : tuple of (s,) int64 arrays
        Of each cluster: at least k records.
    prices : (n,) int64 array
        What pays for it: half of their sum is a lower bound, and a sixth of the cost at least.
    """

    centers: np.ndarray
    radii: np.ndarray
    members: tuple[np.ndarray, ...]
    prices: np.ndarray


@dataclass(frozen=True)
class Unshared:
    """A cluster for each record.

    Attributes
    ----------
    labels : (n,) int64 array
        The cluster of each point; -1 for one that is in no shared cluster.
    centers : (c,) int64 array
    opened : (o,) int64 array
        Which shared clusters were opened, in this order.
    tree : (m,) int64 array
        Of each shared cluster that is left over, the opened one on whose tree it hangs; -1 for those that are opened.
    """

    labels: np.ndarray
    centers: np.ndarray
    opened: np.ndarray
    tree: np.ndarray


def shared_solution(distances: Distances) -> Shared:
    """Open balls that cost k radii more each; the clusters then share records."""
    rise = distances.rise(slope=distances.k, least=distances.k)
    return shared_of(distances, rise.prices, *opened(distances, rise))


def shared_of(distances: Distances, prices: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> Shared:
    """Give each cluster the k records nearest to its center besides.

    Each is around a ball that holds at least k records, so these are no farther than the cluster may reach. Clusters
    without a record of their own are left out.
    """
    k, weights = distances.k, distances.space.weights
    centers = centers[np.unique(labels[labels >= 0])]
    labels = np.where(labels >= 0, np.unique(labels, return_inverse=True)[1] - int((labels < 0).any()), -1)
    members = []
    for number, center in enumerate(centers.tolist()):
        nearest = distances.order[center]
        enough = int(np.searchsorted(np.cumsum(weights[nearest]), k)) + 1
        members.append(np.union1d(np.flatnonzero(labels == number), nearest[:enough]))
    radii = np.array([distances.matrix[c, own].max() for c, own in zip(centers.tolist(), members, strict=True)])
    order = np.argsort(radii, kind="stable")
    return Shared(centers[order], radii[order], tuple(members[place] for place in order.tolist()), prices)


def unshared(distances: Distances, shared: Shared) -> Unshared:
    """Open clusters that still have k records of their own, the smallest first, and hang the others on them as trees.

    A cluster that is left over has fewer than k records that are in no opened one, so it shares one with such a
    cluster of no larger radius. The trees are then grouped, each around the center of its opened cluster.
    """
    k, weights = distances.k, distances.space.weights
    owner = np.full(len(weights), -1, dtype=np.int64)  # the opened cluster of each point
    left = []
    opened_clusters = []
    for number, own in enumerate(shared.members):
        free = own[owner[own] < 0]
        if weights[free].sum() >= k:
            owner[free] = number
            opened_clusters.append(number)
        else:
            left.append(number)
    tree = np.full(len(shared.members), -1, dtype=np.int64)
    parts: dict[int, list[np.ndarray]] = {number: [] for number in opened_clusters}
    taken = owner >= 0
    for number in left:
        own = shared.members[number]
        roots = np.unique(owner[own][owner[own] >= 0])
        roots = roots[roots < number]  # of no larger radius
        tree[number] = roots[np.argmin(distances.matrix[shared.centers[number], shared.centers[roots]])]
        free = own[~taken[own]]
        taken[free] = True
        if len(free):
            parts[int(tree[number])].append(free)
    labels = np.full(len(weights), -1, dtype=np.int64)
    centers: list[int] = []
    for root in opened_clusters:
        center = int(shared.centers[root])
        for group in _grouped(weights, k, distances.matrix[center], np.flatnonzero(owner == root), parts[root]):
            labels[group] = len(centers)
            centers.append(center)
    return Unshared(labels, np.array(centers, dtype=np.int64), np.array(opened_clusters, dtype=np.int64), tree)


def _grouped(
    weights: np.ndarray, k: int, away: np.ndarray, first: np.ndarray, second: list[np.ndarray]
) -> list[np.ndarray]:
    """The clusters of one tree: leftover clusters together until they hold k, the last ones with records of the first
    level, the farthest from its center first, where it can spare them."""
    groups: list[np.ndarray] = []
    held: list[np.ndarray] = []
    for part in sorted(second, key=lambda own: float(away[own].max())):
        held.append(part)
        if sum(int(weights[own].sum()) for own in held) >= k:
            groups.append(np.concatenate(held))
            held = []
    if not held:
        return [*groups, first]
    rest = np.concatenate(held)
    farthest = first[np.argsort(-away[first], kind="stable")]
    needed = int(np.searchsorted(np.cumsum(weights[farthest]), k - int(weights[rest].sum()))) + 1
    if int(weights[farthest[needed:]].sum()) >= k:
        return [*groups, np.concatenate([rest, farthest[:needed]]), farthest[needed:]]
    return [*groups, np.concatenate([rest, first])]
