"""Section 2.2 of the paper at one width: greedy centers, a flow that gives each its k records, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from kanon_engine.clusters.centers import ball_centers, details_of, means_of
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.nearest import NEARLY, Nearest, pairs_within, within
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.verification.metric import EARTH, rounded_up, six_digits_below

MOST_RECORDS = 1 << 31  # scipy's flow counts in 32 bits


@dataclass(frozen=True)
class Attempt:
    """The result for one width D, twice the radius R that the paper guesses."""

    width: float  # D: how far a record may be from its center
    # (c,) int64: positions of the greedy centers, pairwise farther apart than the width, as they were chosen
    centers: np.ndarray
    marked: np.ndarray  # (n,) int64: the center, 0 … c - 1, that marked each point: the first one within the width
    # (n,) int64: the center to which the flow gives a point (of several the one to which it gives most records); -1
    # without flow
    sent: np.ndarray
    # (w,) int64: positions of centers that have fewer than k records each within the width; empty where there are
    # enough
    witness: np.ndarray

    @property
    def succeeded(self) -> bool:
        return len(self.witness) == 0

    @property
    def assignment(self) -> np.ndarray:
        """(n,) int64: the center of each point, by the flow, or else the one that marked it.

        Classes of at least k records where the attempt succeeded and each point is one record.
        """
        return np.where(self.sent >= 0, self.sent, self.marked)


def attempt(neighbors: Nearest, width: float) -> Attempt:
    """Section 2.2 of the paper with 2R = `width`, centers in order of position.

    `neighbors`: the balls of the points for k: `nearest(space, k)`.

    Returns: where it fails, no clustering has a diameter of at most `width`: the witness proves that. Success does not
        mean that every larger width succeeds.
    References: G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010),
        section 2.2.

    >>> from kanon_engine.clusters.nearest import nearest
    >>> found = nearest(MetricSpace([[1], [0], [2], [8], [9]]), 2)
    >>> attempt(found, 1.0).assignment.tolist(), attempt(found, 0.5).witness.tolist()
    ([0, 0, 0, 1, 1], [0])
    """
    space, k = neighbors.space, neighbors.k
    if space.total >= MOST_RECORDS:
        raise InvalidInput(f"This algorithm takes fewer than {MOST_RECORDS:,} {space.unit}; there are {space.total:,}.")
    centers, marked = _greedy(space, width)
    rows, points, _ = pairs_within(space, centers, width)
    sent, short = flow_from(rows, points, space.weights, k, len(centers))
    if neighbors.rho.max() > width:  # condition (1)
        return Attempt(width, centers, marked, sent, np.array([neighbors.rho.argmax()], dtype=np.int64))
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

    `rows`, `points`: (e,) int. Which center, 0 … count - 1, may take which point.
    `weights`: (n,) int64. Records at each point.
    Returns `sent`: (n,) int64. The center that gets most of each point, -1 for none; `short`: (s,) int64. Centers that
        together may take fewer than s k records; empty where each gets its k.
    """
    n, sink = len(weights), len(weights) + count + 1
    tail = np.concatenate([np.zeros(count, dtype=np.int64), 1 + rows, 1 + count + np.arange(n)])
    head = np.concatenate([1 + np.arange(count), 1 + count + points, np.full(n, sink)])
    # no center needs more than k from one point
    most = np.minimum(weights, k)
    capacity = np.concatenate([np.full(count, k), most[points], weights]).astype(np.int32)
    graph = csr_array((capacity, (tail, head)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(graph, 0, sink)
    used = flow.flow[1 : count + 1].tocoo()
    positive = np.flatnonzero((used.data > 0) & (used.col > count))
    positive = positive[np.argsort(used.data[positive], kind="stable")]  # the last one to be written is the most
    sent = np.full(n, -1, dtype=np.int64)
    sent[used.col[positive] - 1 - count] = used.row[positive]
    if flow.flow_value == k * count:
        return sent, np.zeros(0, dtype=np.int64)
    left = graph - flow.flow
    left.eliminate_zeros()
    # a minimum cut: the centers that the source still reaches lack records together
    reachable = breadth_first_order(left, 0, return_predecessors=False)
    return sent, np.sort(reachable[(reachable >= 1) & (reachable <= count)] - 1).astype(np.int64)


def least_diameter(space: MetricSpace, k: int, witness: np.ndarray, guess: float) -> float:
    """The diameter below which no clustering can be, by the witness of a failure: bound D of the proofs.

    It is the least distance between two of the witnesses, or the least within which there are k records for each of
    them, if that is less.

    `witness`: (w,) int64. Positions, different ones.
    `guess`: about how much it may be: only pairs that are not much farther apart are examined.
    """
    if guess <= 0:
        guess = float(space.distances(int(witness[0])).max()) / 1024
    while True:
        rows, points, distances = pairs_within(space, witness, guess)
        others = np.isin(points, witness) & (witness[rows] != points)
        between = float(distances[others].min(initial=math.inf))
        order = np.argsort(distances, kind="stable")
        first = np.unique(points[order], return_index=True)[1]
        near = order[np.sort(first)]
        cumulative = np.cumsum(space.weights[points[near]])
        enough = math.inf
        if cumulative[-1] >= k * len(witness):
            enough = float(distances[near[np.argmax(cumulative >= k * len(witness))]])
        if min(between, enough) <= guess:
            return min(between, enough)
        guess *= 2


@dataclass(frozen=True)
class Solution:
    """Classes of at least k records with a center each."""

    assignment: np.ndarray  # (n,) int: class of each point, 0 … m - 1
    details: ClusterDetails

    @cached_property
    def cost(self) -> float:
        return float(self.details.radii.max())


def around_points(space: MetricSpace, owner: np.ndarray) -> Solution:
    """The clustering in which each point has the center at the position that `owner` says; -1 for points without."""
    places = np.unique(owner[owner >= 0])
    assignment = np.where(owner >= 0, np.searchsorted(places, owner), -1)
    return Solution(assignment, details_of(space, assignment, places=places))


def around_balls(space: MetricSpace, assignment: np.ndarray) -> Solution:
    """The clustering with the smallest ball around each class."""
    assignment = assignment.astype(np.int64)
    return Solution(assignment, details_of(space, assignment, centers=ball_centers(space, assignment)))


def around_means(space: MetricSpace, assignment: np.ndarray) -> Solution:
    """The clustering with the mean of the records of each class, summed without rounding, as its center."""
    means = means_of(space.points, members_of(assignment), space.counts)
    return Solution(assignment, details_of(space, assignment, centers=means))


def replaced(solution: Solution, points: np.ndarray, part: Solution) -> Solution:
    """The clustering in which some points have the classes of another one that only has these points."""
    old = solution.details
    remaining = np.ones(len(old.radii), dtype=bool)
    remaining[solution.assignment[points]] = False
    assignment = (np.cumsum(remaining) - 1)[solution.assignment]
    assignment[points] = int(remaining.sum()) + part.assignment[points]
    new = part.details
    return Solution(
        assignment,
        ClusterDetails(
            np.concatenate([old.places[remaining], new.places]),
            np.concatenate([old.centers[remaining], new.centers]),
            np.concatenate([old.radii[remaining], new.radii]),
            old.prices,
            old.curve,
        ),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Discs of one radius: where their centers can be, and which points they hold; the least disc around a point.
# ---------------------------------------------------------------------------------------------------------------------


QUARTER = 9_000.0  # km; circles on the globe that are nearly this wide are no longer discs
MOST_SPOTS = 60_000  # centers that are examined together
MAX_DISC_TESTS = 20_000  # points whose least disc is computed
ROUNDING_SHIFT = 6e-6  # km; the most that a center on the globe moves when it is rounded
ROUNDED = 1e-6  # km; more than the rounding error of distances on the globe
BLOCK = 1 << 22


def in_a_plane(space: MetricSpace) -> bool:
    """Whether free centers lie in a plane, on a line or on the globe: then discs can be listed."""
    return space.metric == "haversine" or (space.metric == "euclidean" and space.points.shape[1] <= 2)


def canonical(
    space: MetricSpace, points: np.ndarray, width: float, proof: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Centers, in coordinates of its own, of discs of a radius, and which of some points each holds.

    Wherever a disc of this radius is, in a plane or on the globe, one of these holds as much: it can be moved until two
    points are on its border, or its center is a point. In more dimensions there are points and middles of two points.

    Returns `spots`: (s, 2 or 3 or d) float64 array; `inside`: (s, m) bool array. Nothing where there are too many
        centers, or for a proof where the list would not be complete.
    """
    local = _local(space, points)
    if proof and not (in_a_plane(space) and (space.metric != "haversine" or width < QUARTER)):
        return local[:0], np.zeros((0, len(points)), dtype=bool)
    radius = _larger(space, width) if proof else _radius(space, width)
    near = _apart(local, local) <= (2 * radius * (1 + NEARLY)) ** 2
    first, second = np.nonzero(np.triu(near, 1))
    if 2 * len(first) + len(points) > MOST_SPOTS:
        return local[:0], np.zeros((0, len(points)), dtype=bool)
    spots = np.vstack([local, *_crossings(space, local[first], local[second], radius)])
    return spots, _held(spots, local, radius * (1 + NEARLY))


def _held(spots: np.ndarray, local: np.ndarray, radius: float) -> np.ndarray:
    step = max(1, BLOCK // len(local))
    parts = [_apart(spots[begin : begin + step], local) <= radius**2 for begin in range(0, len(spots), step)]
    return np.concatenate(parts)


def _local(space: MetricSpace, points: np.ndarray) -> np.ndarray:
    """Coordinates of points: unit vectors, or differences to the first one."""
    if space.metric == "haversine":
        spots = np.asarray(space.embedding)[points]
        return np.asarray(spots / np.sqrt((spots**2).sum(axis=1))[:, None])
    return np.asarray(space.points[points] - space.points[points[0]])


def _radius(space: MetricSpace, width: float) -> float:
    """In these coordinates: on the globe the chord, slightly shortened because centers will be rounded."""
    if space.metric == "haversine":
        return 2 * math.sin(min(max(width - ROUNDING_SHIFT, 0.0) / (2 * EARTH), math.pi / 2))
    return width


def _larger(space: MetricSpace, width: float) -> float:
    """The same, enlarged by the possible rounding error."""
    radius = width * (1 + 3 * NEARLY)
    if space.metric == "haversine":
        return 2 * math.sin(min((radius + ROUNDED) / (2 * EARTH), math.pi / 2))
    return radius


def _apart(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(r, m): squared distances."""
    squares = np.zeros((len(left), len(right)))
    for axis in range(left.shape[1]):
        squares += (left[:, axis, None] - right[None, :, axis]) ** 2
    return squares


def _crossings(space: MetricSpace, a: np.ndarray, b: np.ndarray, radius: float) -> list[np.ndarray]:
    """Centers of the discs of a radius with both points on the border, pair by pair."""
    squares = ((a - b) ** 2).sum(axis=1)
    a, b, squares = a[squares > 0], b[squares > 0], squares[squares > 0]
    if space.metric == "haversine":  # the center x has a·x = b·x = cos r
        middle = (a + b) * ((1 - radius**2 / 2) / (2 - squares / 2))[:, None]
        normal = np.cross(a, b)
        rest = np.maximum(radius**2 * (1 - radius**2 / 4) - squares / 4, 0.0) / (1 - squares / 4)
        side = normal * np.sqrt(rest / np.maximum((normal**2).sum(axis=1), 1e-300))[:, None]
        return [middle + side, middle - side]
    middle = (a + b) / 2
    if a.shape[1] != 2:
        return [middle]
    turned = np.column_stack([a[:, 1] - b[:, 1], b[:, 0] - a[:, 0]])
    side = turned * np.sqrt(np.maximum(radius**2 / squares - 0.25, 0.0))[:, None]
    return [middle + side, middle - side]


def disc_holds(space: MetricSpace, place: int, width: float, k: int) -> bool:
    """Whether a disc of a radius holds a point and k records, the point's own among them; True where it is too close.

    The radius is enlarged by the possible rounding error, so that False is proven: docs/proofs/clusters/gather.md,
    bound B.
    """
    more = 10 * ROUNDED if space.metric == "haversine" else 0.0
    if more and width > QUARTER:
        return True
    near = within(space, place, 2 * width * (1 + 10 * NEARLY) + more)
    near = near[near != place]
    weights = np.minimum(space.weights[near], k)
    missing = k - int(space.weights[place])
    if weights.sum() < missing:
        return False
    local = _local(space, np.concatenate([[place], near]))
    radius = _larger(space, width)
    slack = radius * (1 + NEARLY / 10) + 1e-15
    if len(near) == 0 or (_held(local[:1], local[1:], slack) @ weights)[0] >= missing:
        return True
    for begin in range(len(local)):  # discs with this point and a later one on the border
        here, later = local[begin : begin + 1], local[begin + 1 :]
        later = later[_apart(here, later)[0] <= (2 * slack) ** 2]
        spots = np.vstack([here, *_crossings(space, np.repeat(here, len(later), axis=0), later, radius)])
        spots = spots[_apart(spots, local[:1])[:, 0] <= slack**2]
        if len(spots) and (_held(spots, local[1:], slack) @ weights).max() >= missing:
            return True
    return False


def disc_need(neighbors: Nearest) -> tuple[float, int]:
    """The least radius, six digits, of a cluster around a free center that holds some point; and that point.

    Proven for that point; about the largest of all points.
    """
    space, k = neighbors.space, neighbors.k
    best, where = 0.0, int(neighbors.rho.argmax())
    for place in [where, *np.argsort(-neighbors.need, kind="stable")[:MAX_DISC_TESTS].tolist()]:
        if neighbors.need[place] <= best:
            break
        if best and disc_holds(space, place, best, k):
            continue
        low, high = max(best, float(neighbors.rho[place]) / 2 * (1 - NEARLY)), float(neighbors.need[place])
        while high - low > 1e-8 * high:
            middle = (low + high) / 2
            if disc_holds(space, place, middle, k):
                high = middle
            else:
                low = middle
        best, where = high, place
    value = rounded_up(best)
    while value > 0 and disc_holds(space, where, six_digits_below(value), k):
        value = six_digits_below(value)
    return value, where
