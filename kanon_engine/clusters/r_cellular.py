"""r-cellular clustering (Aggarwal et al., section 3.1): at least k records around each center, with small radii."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.dual import Distances, opened, price_bound
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.resplit import STEPS, CellularSearch, packed
from kanon_engine.model.run import Outcome, Run

RATIO = 36


def r_cellular(space: MetricSpace, k: int, run: Run, *, centers: str, facility_cost: float, improve: bool) -> Outcome:
    """Clusters of at least k records with a small sum of radii, each radius counted for every record of its cluster.

    Guarantee: 36 times the best possible where each point is one record and centers are points; 72 times that of free
    centers. Proof: docs/proofs/clusters/r_cellular.md. Prices of balls that cost k radii more each give a solution in
    which clusters share records, and trees of clusters that share give each record one (Theorem 3.8). Balls packed
    greedily are a second solution. Both are improved by redividing neighboring clusters, and the cheaper one also by
    repacking neighbors at random.

    Returns: `details.prices` are (n, 1): the price of each point, whose sum the bound is.

    Complexity: O(n² log n) time and O(n²) memory for the distances; then a fixed number of steps.
    References: Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu (2010), section 3.1, Theorem 3.8.

    Figure 1.1 with α = 20, β = 0, γ = 10 and δ = 60 costs 2 × 1 + 3 × 3, and 13 with centers among the records.

    >>> people = MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
    >>> for centers in ("any", "input"):
    ...     found = r_cellular(people, 2, Run(), centers=centers, facility_cost=0.0, improve=True)
    ...     print(found.assignment.tolist(), found.details.radii.tolist(), found.cost)
    [0, 0, 1, 1, 1] [1.0, 3.0] 11.0
    [0, 0, 1, 1, 1] [2.0, 3.0] 13.0
    """
    free = space.free and centers == "any"
    distances = Distances(space, k, facility_cost)
    shared = shared_solution(distances)
    solution = unshared(distances, shared)
    bound, prices = price_bound(distances, free, shared.prices // 2)
    ratio = (2 * RATIO if free else RATIO) if int(space.weights.max()) == 1 else None
    search = CellularSearch(distances, run, free, bound, prices, ratio)
    starts = [
        search.begin(labels, around, STEPS if improve else 0)
        for labels, around in ((solution.labels, solution.centers), packed(distances))
    ]
    if improve:
        search.shaken(starts, STEPS)
    return search.outcome()


@dataclass(frozen=True)
class Shared:
    """Clusters that may share records, the smallest radius first."""

    centers: np.ndarray  # (m,) int64: positions
    radii: np.ndarray  # (m,) float64
    members: tuple[np.ndarray, ...]  # tuple of (s,) int64: of each cluster: at least k records
    # (n,) int64: what pays for it: half of their sum is a lower bound, and a sixth of the cost at least
    prices: np.ndarray


@dataclass(frozen=True)
class Unshared:
    """A cluster for each record."""

    labels: np.ndarray  # (n,) int64: the cluster of each point; -1 for one that is in no shared cluster
    centers: np.ndarray  # (c,) int64
    opened: np.ndarray  # (o,) int64: which shared clusters were opened, in this order
    # (m,) int64: of each shared cluster that is left over, the opened one on whose tree it hangs; -1 for those that are
    # opened
    tree: np.ndarray


def shared_solution(distances: Distances) -> Shared:
    """Open balls that cost k radii more each; the clusters then share records."""
    rise = distances.rise(slope=distances.k, least=distances.k)
    return shared_of(distances, rise.prices, *opened(distances, rise))


def shared_of(distances: Distances, prices: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> Shared:
    """Also give each cluster the k records nearest to its center.

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
    radii = np.array([distances.matrix[c, group].max() for c, group in zip(centers.tolist(), members, strict=True)])
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
    for number, points in enumerate(shared.members):
        free = points[owner[points] < 0]
        if weights[free].sum() >= k:
            owner[free] = number
            opened_clusters.append(number)
        else:
            left.append(number)
    tree = np.full(len(shared.members), -1, dtype=np.int64)
    parts: dict[int, list[np.ndarray]] = {number: [] for number in opened_clusters}
    assigned = owner >= 0
    for number in left:
        points = shared.members[number]
        roots = np.unique(owner[points][owner[points] >= 0])
        roots = roots[roots < number]  # of no larger radius
        tree[number] = roots[np.argmin(distances.matrix[shared.centers[number], shared.centers[roots]])]
        free = points[~assigned[points]]
        assigned[free] = True
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
    pending: list[np.ndarray] = []
    for part in sorted(second, key=lambda points: float(away[points].max())):
        pending.append(part)
        if sum(int(weights[points].sum()) for points in pending) >= k:
            groups.append(np.concatenate(pending))
            pending = []
    if not pending:
        return [*groups, first]
    rest = np.concatenate(pending)
    farthest = first[np.argsort(-away[first], kind="stable")]
    needed = int(np.searchsorted(np.cumsum(weights[farthest]), k - int(weights[rest].sum()))) + 1
    if int(weights[farthest[needed:]].sum()) >= k:
        return [*groups, np.concatenate([rest, farthest[:needed]]), farthest[needed:]]
    return [*groups, np.concatenate([rest, first])]
