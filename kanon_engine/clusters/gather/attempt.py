"""Section 2.2 of the paper at one width: greedy centers, a flow that gives each its k records, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, pairs_within, within
from kanon_engine.errors import InvalidInput

MOST_RECORDS = 1 << 31  # scipy's flow counts in 32 bits


@dataclass(frozen=True)
class Attempt:
    """What came of one width D, twice the radius R that the paper guesses.

    Attributes
    ----------
    width : float
        D: how far a record may be from its center.
    centers : (c,) int64 array
        Positions of the greedy centers, pairwise farther apart than the width, as they were chosen.
    marked : (n,) int64 array
        The center, 0 … c - 1, that marked each point: the first one within the width.
    sent : (n,) int64 array
        The center to which the flow gives a point (of several the one to which it gives most records); -1 without flow.
    witness : (w,) int64 array
        Positions of centers within whose width there are fewer than k records for each; empty where there are enough.
    """

    width: float
    centers: np.ndarray
    marked: np.ndarray
    sent: np.ndarray
    witness: np.ndarray

    @property
    def succeeded(self) -> bool:
        """Whether the flow gives each center k records."""
        return len(self.witness) == 0

    @property
    def assignment(self) -> np.ndarray:
        """(n,) int64: the center of each point, by the flow, or else by which it was marked.

        Classes of at least k records where the attempt succeeded and each point is one record.
        """
        return np.where(self.sent >= 0, self.sent, self.marked)


def attempt(found: Nearest, width: float) -> Attempt:
    """Section 2.2 of the paper with 2R = `width`, centers in order of position.

    Parameters
    ----------
    found : Nearest
        The balls of the points for k: `nearest(space, k)`.
    width : float

    Returns
    -------
    Attempt
        Where it fails, no clustering has a diameter of at most `width`: the witness proves that. Success does not mean
        that every larger width succeeds.

    References
    ----------
    G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010), section 2.2.

    Example
    -------
    >>> from kanon_engine.clusters.nearest import nearest
    >>> found = nearest(MetricSpace([[1], [0], [2], [8], [9]]), 2)
    >>> attempt(found, 1.0).assignment.tolist(), attempt(found, 0.5).witness.tolist()
    ([0, 0, 0, 1, 1], [0])
    """
    space, k = found.space, found.k
    if space.total >= MOST_RECORDS:
        raise InvalidInput(f"The flow counts fewer than {MOST_RECORDS:,} {space.unit}; there are {space.total:,}.")
    centers, marked = _greedy(space, width)
    rows, points, _ = pairs_within(space, centers, width)
    sent, short = flow_from(rows, points, space.weights, k, len(centers))
    if found.rho.max() > width:  # condition (1)
        return Attempt(width, centers, marked, sent, np.array([found.rho.argmax()], dtype=np.int64))
    return Attempt(width, centers, marked, sent, centers[short])


def _greedy(space: MetricSpace, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Select an unmarked point as a center, and mark all unmarked points within the width of it; repeat."""
    marked = np.full(len(space), -1, dtype=np.int64)
    centers: list[int] = []
    for place in range(len(space)):
        if marked[place] < 0:
            ball = within(space, place, width)
            marked[ball[marked[ball] < 0]] = len(centers)
            centers.append(place)
    return np.array(centers, dtype=np.int64), marked


def flow_from(
    rows: np.ndarray, points: np.ndarray, weights: np.ndarray, k: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Send k records to each of some centers from points that they may take.

    Parameters
    ----------
    rows, points : (e,) int arrays
        Which center, 0 … count - 1, may take which point.
    weights : (n,) int64 array
        Records at each point.
    k, count : int

    Returns
    -------
    sent : (n,) int64 array
        The center that gets most of each point, -1 for none.
    short : (s,) int64 array
        Centers that together may take fewer than s k records; empty where each gets its k.
    """
    n, sink = len(weights), len(weights) + count + 1
    tail = np.concatenate([np.zeros(count, dtype=np.int64), 1 + rows, 1 + count + np.arange(n)])
    head = np.concatenate([1 + np.arange(count), 1 + count + points, np.full(n, sink)])
    most = np.minimum(weights, k)
    capacity = np.concatenate([np.full(count, k), most[points], weights]).astype(np.int32)
    graph = csr_array((capacity, (tail, head)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(graph, 0, sink)
    taken = flow.flow[1 : count + 1].tocoo()
    kept = np.flatnonzero((taken.data > 0) & (taken.col > count))
    kept = kept[np.argsort(taken.data[kept], kind="stable")]  # the last one to be written is the most
    sent = np.full(n, -1, dtype=np.int64)
    sent[taken.col[kept] - 1 - count] = taken.row[kept]
    if flow.flow_value == k * count:
        return sent, np.zeros(0, dtype=np.int64)
    left = graph - flow.flow
    left.eliminate_zeros()
    seen = breadth_first_order(left, 0, return_predecessors=False)
    return sent, np.sort(seen[(seen >= 1) & (seen <= count)] - 1).astype(np.int64)


def least_diameter(space: MetricSpace, k: int, witness: np.ndarray, guess: float) -> float:
    """The diameter below which no clustering can be, by the witness of a failure: bound D of the proofs.

    It is the least distance between two of the witnesses, or the least within which there are k records for each of
    them, if that is less.

    Parameters
    ----------
    witness : (w,) int64 array
        Positions, different ones.
    guess : float
        About how much it may be: only pairs that are not much farther apart are looked at.
    """
    if guess <= 0:
        guess = float(space.distances(int(witness[0])).max()) / 1024
    while True:
        rows, points, apart = pairs_within(space, witness, guess)
        others = np.isin(points, witness) & (witness[rows] != points)
        between = float(apart[others].min(initial=math.inf))
        order = np.argsort(apart, kind="stable")
        first = np.unique(points[order], return_index=True)[1]
        near = order[np.sort(first)]
        held = np.cumsum(space.weights[points[near]])
        enough = math.inf
        if held[-1] >= k * len(witness):
            enough = float(apart[near[np.argmax(held >= k * len(witness))]])
        if min(between, enough) <= guess:
            return min(between, enough)
        guess *= 2
