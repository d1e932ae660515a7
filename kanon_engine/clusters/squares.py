"""Microaggregation: clusters of k to 2k - 1 records with a small sum of squared distances to their means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from kanon_engine.clusters.centers import details_of, means_of
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.options import MOST_ON_A_LINE
from kanon_engine.clusters.squares_kernels import (
    MOST,
    Ascent,
    Clusters,
    Local,
    PairGraph,
    Triangles,
    anneal,
    ascend,
    bound,
    resum,
    separate,
)
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


NO_PRICES = np.zeros((0, 4))


def require_means(space: MetricSpace) -> None:
    """Raise `InvalidInput` unless points are single records whose mean is a point too."""
    if space.metric != "euclidean":
        raise InvalidInput(
            f"Microaggregation needs means of columns, but the metric {space.metric} has none; choose euclidean, or "
            "another algorithm."
        )
    if (space.weights > 1).any():
        raise InvalidInput(
            "Microaggregation needs one row per record, but some points represent several; repeat their rows, or "
            "choose another algorithm."
        )


def squared_distances(points: np.ndarray, spot: np.ndarray) -> np.ndarray:
    """(n,) float64, added up column by column."""
    result = np.zeros(len(points))
    for column, value in zip(points.T, spot.tolist(), strict=True):
        result += (column - value) * (column - value)
    return result


def squares_of(points: np.ndarray, assignment: np.ndarray, means: np.ndarray) -> float:
    """The sum of squared differences from the means, rounded once."""
    differences = points - means[assignment]
    return math.fsum((differences * differences).ravel().tolist())


def squares(points: np.ndarray, assignment: np.ndarray) -> float:
    return squares_of(points, assignment, means_of(points, members_of(assignment)))


def information_loss(space: MetricSpace, g: Generalization) -> float:
    """100 times the squares within classes over those around the mean of all, as microaggregation is reported.

    `space`: customarily with columns divided by their standard deviations, as `read_records` does with
        scale="standard".
    `g`: of any algorithm; the squares are taken from the means of its classes. Nobody may be left out.

    Returns: percent; 0 where all points are equal.

    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(0,), (2,), (10,), (12,)])
    >>> information_loss(space, kanon.generalize(space, 2, "mdav"))
    3.8461538461538463
    """
    require_means(space)
    if (g.assignment < 0).any():
        raise InvalidInput(
            "Records are left out, so information loss cannot be measured; choose an algorithm that keeps all records."
        )
    total = squares(space.points, np.zeros(len(space), dtype=np.int64))
    return 100 * (squares(space.points, g.assignment) / total) if total > 0 else 0.0


def outcome_of(
    space: MetricSpace,
    assignment: np.ndarray,
    bound: Bound,
    prices: np.ndarray = NO_PRICES,
    curve: Sequence[tuple[float, float, float]] = (),
) -> Outcome:
    """The result with its means and cost; `curve` gets its last row."""
    means = means_of(space.points, members_of(assignment))
    cost = squares_of(space.points, assignment, means)
    rows = [*curve, (curve[-1][0] if curve else 0.0, cost, bound.value)]
    details = details_of(space, assignment, centers=means, prices=prices, curve=rows)
    return Outcome(assignment, details, None, bound, cost)


ONE_CLUSTER, ONE_COLUMN = "one cluster", "one column"
PRICED = 200_000  # points up to which prices are searched
SHARE = 0.6  # of a time limit, after which clusters are no longer improved


def microaggregated(
    space: MetricSpace, k: int, run: Run, improve: bool, first: Callable[[np.ndarray, int, Run], np.ndarray]
) -> Outcome:
    """The clustering that `first` makes, or a better one, with a lower bound."""
    require_means(space)
    points = np.array(space.points)  # kernels would be recompiled for read-only arrays
    if len(points) < 2 * k:
        assignment = np.zeros(len(points), dtype=np.int64)
        return outcome_of(space, assignment, Bound(squares(points, assignment), ONE_CLUSTER))
    if points.shape[1] == 1 and improve and len(points) * k <= MOST_ON_A_LINE:
        line = best_on_a_line(points[:, 0], k, run)
        if line is not None:
            return outcome_of(space, line, Bound(squares(points, line), ONE_COLUMN))
    search = SquaresSearch(space, points, k, run)
    search.take(first(points, k, run), 0)
    if search.cost == 0:
        return search.outcome()
    search.price()
    if improve and not run.stopped:
        search.anneal(split_large(points, k, search.assignment))
        search.raise_bound()
    return search.outcome()


class SquaresSearch:
    """The best clustering so far, and the best bound."""

    def __init__(self, space: MetricSpace, points: np.ndarray, k: int, run: Run) -> None:
        self.space, self.points, self.k, self.run = space, points, k, run
        self.assignment = np.zeros(len(points), dtype=np.int64)
        self.cost = np.inf
        self.curve: list[tuple[float, float, float]] = []
        self.prices: Prices | None = None
        self.bound = Bound(0.0, NAME)

    def take(self, assignment: np.ndarray, steps: int) -> None:
        cost = squares(self.points, assignment)
        if cost < self.cost:
            self.assignment, self.cost = assignment, cost
            self.curve = [*(row for row in self.curve if row[0] < steps), (float(steps), cost, self.bound.value)]

    def price(self) -> None:
        """The bound of neighbors, without prices."""
        self.prices = Prices(self.points, self.space.tree, self.k)
        self.bound = self.prices.witness()[0]

    def goes_on(self, done: float, message: str) -> bool:
        return self.run.goes_on(done, self.cost, self.bound.value, message, self.outcome)

    def anneal(self, start: np.ndarray) -> None:
        """Make clusters better while the budget lasts."""
        random, limit = self.run.generator(), self.run.time_limit
        self.take(start, 0)
        previous = start
        for share, steps, best in improved(self.points, self.space.tree, self.k, start, random):
            if best is not previous:
                self.take(best, steps)
                previous = best
            if not self.goes_on(0.7 * share, f"{steps:,} swaps and shifts were tried"):
                return
            if limit is not None and self.run.seconds > SHARE * limit:
                return

    def raise_bound(self) -> None:
        """Search for prices while the budget lasts."""
        prices = self.prices
        if prices is None or len(self.points) > PRICED or prices.rounds == 0:
            return
        going = self.goes_on(0.7, "raising the lower bound")
        while going:
            going = prices.ascend(self.cost)
            self.bound = Bound(max(self.bound.value, prices.value * (1 - 1e-6)), self.bound.name)
            share = prices.done / prices.rounds
            going = self.goes_on(0.7 + 0.3 * share, f"{prices.done:,} rounds for the lower bound") and going

    def outcome(self) -> Outcome:
        bound, witness = (self.bound, NO_PRICES) if self.prices is None else self.prices.witness()
        return outcome_of(self.space, self.assignment, bound, witness, self.curve)


BLOCKS = 200
STEPS = 20_000  # per point
ANNEALING_WORK = 4e9  # of all steps together, about; some seconds
HOT, COLD = 0.5, 0.003  # in units of a point's mean square
QUIET = 0.1  # share of the blocks at the end that only descend
REACH = 20  # neighbors


def improved(
    points: np.ndarray, tree: cKDTree, k: int, assignment: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[float, int, np.ndarray]]:
    """Anneal from classes of k to 2k - 1 points, none of equal points alone.

    Yields share of the work, steps and the best clustering that was seen.
    """
    n, columns = points.shape
    steps = int(min(STEPS * n, ANNEALING_WORK / ((columns + 4) * (k + 0.4 * k * k))))
    neighbors = tree.query(points, min(n, max(REACH, 2 * k) + 1))[1][:, 1:].astype(np.int64)
    clusters = _clusters_of(points, k, assignment, random)
    room = MOST * (2 * k - 1)
    members, group = np.zeros((2, room), dtype=np.int64)
    sizes, numbers = np.zeros((2, 2 * MOST), dtype=np.int64)
    local = Local(members, group, sizes, np.zeros((2 * MOST, columns)), numbers)
    best = resum(points, clusters)
    scale = best / n
    for block in range(BLOCKS):
        done = block / BLOCKS / (1 - QUIET)
        heat = HOT * (COLD / HOT) ** done if done < 1 else 0.0
        total = anneal(points, k, steps // BLOCKS + 1, heat, scale, neighbors, clusters, local)
        if total < best:
            best, assignment = total, np.unique(clusters.label, return_inverse=True)[1]
        yield (block + 1) / BLOCKS, (block + 1) * (steps // BLOCKS + 1), assignment


def _clusters_of(points: np.ndarray, k: int, assignment: np.ndarray, random: np.random.Generator) -> Clusters:
    """The state of the kernels, with free numbers for clusters to come."""
    room = len(points) // k + 2 * MOST
    sizes = np.bincount(assignment, minlength=room).astype(np.int64)
    order = np.argsort(assignment, kind="stable")
    place = np.empty(len(points), dtype=np.int64)
    place[order] = np.arange(len(points)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members = np.zeros((room, 2 * k - 1), dtype=np.int64)
    members[assignment, place] = np.arange(len(points))
    state = np.array([random.integers(1, 1 << 63)], dtype=np.uint64)
    return Clusters(assignment.astype(np.int64), place, members, sizes, np.zeros((room, points.shape[1])), state)


REPORTS = 20


def best_on_a_line(values: np.ndarray, k: int, run: Run) -> np.ndarray | None:
    """The class of each value, in a clustering of at least k each with the least sum of squares; None if stopped.

    An optimal clustering has classes that are consecutive in the order of the values and hold at most 2k - 1 of them.
    All is computed in whole numbers. Among equally good clusterings it is the one whose last class is the smallest,
    then the one before it, and so on.

    `values`: (n,) float64. `k`: at most n.
    Complexity: O(n k) operations on long whole numbers.
    References: Hansen, Mukherjee 2003, A polynomial algorithm for optimal univariate microaggregation.

    >>> best_on_a_line(np.array([9.0, 1.0, 2.0, 8.0, 3.0]), 2, Run()).tolist()
    [1, 0, 0, 1, 0]
    """
    order = np.argsort(values, kind="stable")
    ratios = [value.as_integer_ratio() for value in values[order].tolist()]
    unit = max(below for _, below in ratios)
    whole = [above * (unit // below) for above, below in ratios]
    first, second = [0], [0]
    for value in whole:
        first.append(first[-1] + value)
        second.append(second[-1] + value * value)
    sizes = range(k, min(2 * k, len(whole) + 1))
    common = math.lcm(*sizes)
    shares = {size: common // size for size in sizes}
    best: list[int | None] = [0] + [None] * len(whole)
    chosen = [0] * (len(whole) + 1)
    for end in range(k, len(whole) + 1):
        if end % (len(whole) // REPORTS + 1) == 0 and not run.goes_on(end / len(whole), None, None, "shortest path"):
            return None
        for size in sizes:
            before = best[end - size] if size <= end else None
            if before is None:
                continue
            total = first[end] - first[end - size]
            cost = before + (size * (second[end] - second[end - size]) - total * total) * shares[size]
            least = best[end]
            if least is None or cost < least:
                best[end], chosen[end] = cost, size
    ends = [len(whole)]
    while ends[-1] > 0:
        ends.append(ends[-1] - chosen[ends[-1]])
    assignment = np.empty(len(whole), dtype=np.int64)
    assignment[order] = np.repeat(np.arange(len(ends) - 1), np.diff(ends[::-1]))
    return assignment


def along_widest(points: np.ndarray, k: int) -> np.ndarray:
    """Groups 0, 1, … of k to 2k - 1 points each.

    >>> along_widest(np.array([[0.0, 9.0], [1.0, 1.0], [0.0, 8.0], [1.0, 2.0], [0.0, 0.0]]), 2).tolist()
    [1, 0, 1, 1, 0]
    """
    ranks = np.empty(len(points), dtype=np.int64)
    ranks[np.argsort(points[:, points.std(axis=0).argmax()], kind="stable")] = np.arange(len(points))
    return np.minimum(ranks // k, len(points) // k - 1)


def split_large(points: np.ndarray, k: int, assignment: np.ndarray) -> np.ndarray:
    """The same classes, those of 2k points or more split; that never raises the squares."""
    result = assignment.copy()
    for large in np.flatnonzero(np.bincount(assignment) >= 2 * k).tolist():
        members = np.flatnonzero(assignment == large)
        groups = along_widest(points[members], k)
        result[members[groups > 0]] = result.max() + groups[groups > 0]
    return result


# ---------------------------------------------------------------------------------------------------------------------
# A lower bound on squares: each squared distance is divided between its two ends, and each point pays its cheapest.
#
# The statement and its proof are in docs/proofs/clusters/squares.md.
# ---------------------------------------------------------------------------------------------------------------------


NAME = "squared distances"
NEAR = 100  # neighbors whose distances are divided
FEWEST = 20  # neighbors, however many points there are
ARCS = 420_000  # neighbors of all points together, unless they are the fewest
WORK = 6e8  # arcs examined in all rounds
ROUNDS = 2_500
BATCH = 50  # rounds between two searches for triangles
FIRST = 200  # rounds without triangles
MOST_PRICED = 5  # new triangles per apex
LEAST = 0.2  # how far a triangle is violated
ROOM = 40  # triangles per point
INERTIA = 0.7
SAFE = 2.0**-48  # of a sum, for each addition: subtracted for rounding
DIGITS = 5  # of the prices, after those of an average point's cost


class Prices:
    """Prices of pairs and triangles, and the best bound that they have proven.

    `points`: (n, d) float64. `tree`: of the points. `k`: at least 2, at most n.
    """

    def __init__(self, points: np.ndarray, tree: cKDTree, k: int) -> None:
        n = len(points)
        near = min(n, max(2 * k + 2, min(NEAR, max(FEWEST, ARCS // n))) + 1)
        self.k, self.points = k, points
        self.graph, self.low, self.high = _near_pairs(points, tree, near)
        self.rounds = int(min(ROUNDS, WORK // (len(self.graph.pairs) + 1))) // BATCH * BATCH
        self.done = self.used = 0
        self.ascent = _ascent(n, len(self.low), k)
        room = ROOM * n if self.rounds > FIRST else 0
        self.triangles = Triangles(*np.zeros((4, room), dtype=np.int64), *np.zeros((3, room)))
        self.numbers = np.array([0.0, 1.0, 0.0, INERTIA])
        self.numbers[0] = bound(self.graph, k, self.ascent, self.triangles, 0)

    def ascend(self, target: float) -> bool:
        """Some rounds toward a known cost; whether more may help."""
        if self.done >= FIRST:
            self.used = separate(self.graph, self.ascent, self.triangles, self.used, MOST_PRICED, LEAST)
            if self.done < 0.7 * self.rounds:
                self.numbers[1] = max(self.numbers[1], 0.5)
        ascend(self.graph, self.k, self.ascent, self.triangles, self.used, target, self.numbers, BATCH)
        self.done += BATCH
        return self.done < self.rounds and self.numbers[0] < target

    @property
    def value(self) -> float:
        """The best bound so far, except for rounding."""
        return float(self.numbers[0])

    def witness(self) -> tuple[Bound, np.ndarray]:
        """The bound and its prices, both rounded to the safe side.

        A row of prices is (i, j, -1, s): the distance of i and j costs i by s more than half, and j less; or (j, i, l,
        u): the triangle of apex j costs u.
        """
        digits = DIGITS - math.floor(math.log10(self.value / len(self.points))) if self.value > 0 else 0
        shift = np.round(self.ascent.best, digits) + 0.0
        price = np.round(self.triangles.best[: self.used], digits) + 0.0
        pairs, corners = np.flatnonzero(shift), np.flatnonzero(price)
        apex, third = self.triangles.apex[corners], self.triangles.third[corners]
        of_pairs = np.column_stack([self.low[pairs], self.high[pairs], np.full(len(pairs), -1.0), shift[pairs]])
        of_corners = np.column_stack([apex, self.low[third], self.high[third], price[corners]])
        prices = np.concatenate([of_pairs, of_corners])
        ascent = self.ascent._replace(shift=shift)
        triangles = self.triangles._replace(price=np.where(price > 0, price, 0.0))
        value = bound(self.graph, self.k, ascent, triangles, self.used) - self._rounding(ascent)
        return Bound(max(float(value), 0.0), NAME), prices if value > 0 else np.zeros((0, 4))

    def _rounding(self, ascent: Ascent) -> float:
        """A multiple of the possible rounding error."""
        graph, used = self.graph, slice(0, self.used)
        size = graph.halves + np.abs(ascent.shift) + np.abs(ascent.share - graph.halves)
        largest = np.where(np.isfinite(graph.floor), graph.floor, 0.0)
        np.maximum.at(largest, np.repeat(np.arange(len(largest)), np.diff(graph.start)), size[graph.pairs])
        sides = np.concatenate([self.triangles.first[used], self.triangles.second[used], self.triangles.third[used]])
        of_pair, of_apex = np.bincount(sides, minlength=1), np.bincount(self.triangles.apex[used], minlength=1)
        additions = self.points.shape[1] + 4 * self.k + 16 + int(of_pair.max()) + int(of_apex.max())
        return additions * SAFE * float((2 * largest + ascent.toll).sum())


def _near_pairs(points: np.ndarray, tree: cKDTree, near: int) -> tuple[PairGraph, np.ndarray, np.ndarray]:
    """Pairs of points of which one is among the nearest of the other."""
    n = len(points)
    distances, others = tree.query(points, near)
    rows = np.repeat(np.arange(n), near)
    low, high = np.minimum(rows, others.ravel()), np.maximum(rows, others.ravel())
    keys = np.unique((low * n + high)[low < high])
    low, high = keys // n, keys % n
    halves = np.zeros(len(keys))
    for column in points.T:
        difference = column[low] - column[high]
        halves += difference * difference
    halves /= 2
    ends, other_ends = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((other_ends, ends))
    pairs = np.tile(np.arange(len(keys)), 2)[order]
    signs = np.repeat([1.0, -1.0], len(keys))[order]
    floor = np.full(n, np.inf) if near == n else distances[:, -1] ** 2 / 2 * (1 - 1e-12)
    start = np.searchsorted(ends[order], np.arange(n + 1))
    return PairGraph(start, other_ends[order], pairs, signs, halves, floor), low, high


def _ascent(n: int, pairs: int, k: int) -> Ascent:
    shift, best, move, share = np.zeros((4, pairs))
    return Ascent(
        shift,
        best,
        move,
        share,
        np.zeros(n),
        np.zeros(2 * pairs, dtype=np.bool_),
        np.full(n, k),
        np.zeros(2 * pairs),
        np.zeros(n),
        np.zeros(2 * k - 2, dtype=np.int64),
        np.zeros(2 * k - 2),
    )
