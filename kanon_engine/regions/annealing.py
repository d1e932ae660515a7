"""Annealing over partitions into connected classes: its rounds, and its state between batches of steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import shapely

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Minimum
from kanon_engine.model.run import Outcome, Run
from kanon_engine.model.wishes import conflict_pairs
from kanon_engine.regions.annealing_kernels import (
    NUMBERS,
    BorderGraph,
    ClassTree,
    PartitionState,
    anneal,
    breaches,
    cut_length,
    mend,
    record,
    recount,
    split_up,
)
from kanon_engine.regions.bounds import class_room
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees import forest_of_classes, neighbor_lists

HOT, COLD, COOLER = 1.0, 1e-3, 0.7  # temperatures of a round, in squares of a typical class; each round begins cooler
HOT_ONCE = 0.3  # if the map is so large that there is only one round
ROUNDS = 8  # at most
IDLE, IDLE_AT_BOUND = 3, 2  # rounds in a row without a better partition, after which no further round begins
BATCH, COOLINGS = 2_000, 10  # steps between reports, and reports in a round, at least
EVENING, EVENINGS = 0.23, 3  # share of the steps that are made after a proof, and their rounds, at most
BORDERS = 0.13  # their share for borders
POLISH = 0.3, 0.1, 0.03, 0.01  # temperatures at which the rounds for the best's largest class begin
SEARCH, POLISHED = 0.65, 0.9  # shares of the steps after which those begin and end; the last round is for borders
FINE_CHANGES = 30  # how often in a round the fines rise by their factor, at most
DOING = "recombining neighboring classes"
MENDINGS = 10  # how often in a round the partition is repaired and evaluated


def anneal_in_rounds(search: Annealing, run: Run, steps: int) -> None:
    """Rounds of annealing; once no largest class can be smaller, the remaining rounds are replaced by evening out."""
    search_in_rounds(search, run, steps)
    left = min(EVENING, 1 - search.done) * steps
    if search.proven and not run.stopped and left >= 1:
        even_out(search, run, left)


def search_in_rounds(search: Annealing, run: Run, steps: int) -> None:
    """Rounds for more and smaller classes, then some from the best partition: for its largest class, and last for its
    borders."""
    heats = first_heats(len(search.state.label), steps)
    rounds, idle = len(heats), 0
    for number, hot in enumerate(heats):
        if search.proven:
            return
        search.aim(more_classes=True)
        share = SEARCH / rounds
        improvements = _cool(search, run, share * steps, (share * number, share * (number + 1)), (hot, COLD))
        idle = 0 if improvements else idle + 1
        if run.stopped or idle == (IDLE_AT_BOUND if search.largest == search.bound else IDLE):
            break
    shares = [*np.linspace(SEARCH, POLISHED, len(POLISH) + 1).tolist(), 1.0]
    for span, heat in zip(pairwise(shares), (*POLISH, None), strict=True):
        if run.stopped or search.proven:
            return
        search.return_to_best()
        search.aim(more_classes=False)
        hottest = heat or 3 * search.price_borders()
        _cool(search, run, (span[1] - span[0]) * steps, span, (hottest, hottest / 100))


def first_heats(areas: int, steps: int) -> list[float]:
    """The temperatures at which the rounds for more and smaller classes begin."""
    rounds = min(max(steps // (600 * areas), 1), ROUNDS)
    return [HOT * COOLER**number for number in range(rounds)] if rounds > 1 else [HOT_ONCE]


def even_out(search: Annealing, run: Run, steps: float) -> None:
    """A few short rounds for more and smaller classes below the proven largest, the last one for their borders."""
    search.ends_proven = False
    rounds = int(min(max(steps // (250 * len(search.state.label)), 1), EVENINGS))
    shares = [0.0, *np.linspace(0, 1 - BORDERS, rounds + 1)[1:].tolist(), 1.0]
    start = search.done
    for number, (low, high) in enumerate(pairwise(shares)):
        if run.stopped:
            return
        last = number == rounds
        if number == 0 or last:
            search.return_to_best()
        search.aim(more_classes=not last)
        hot, cold = HOT_ONCE * COOLER**number, COLD
        if last:
            hot = 3 * search.price_borders()
            cold = hot / 100
        span = (start + (1 - start) * low, start + (1 - start) * high)
        _cool(search, run, (high - low) * steps, span, (hot, cold))


def _cool(search: Annealing, run: Run, steps: float, span: tuple[float, float], heats: tuple[float, float]) -> int:
    """Anneal from hot to cold over a span of the whole work; returns how often the best was improved."""
    hot, cold = heats
    size = max(min(max(BATCH, len(search.state.label)), int(steps / COOLINGS)), 1)
    batches = max(round(steps / size), 1)
    improvements = 0
    for number in range(batches):
        improvements += search.batch(size, hot * (cold / hot) ** (number / batches), min(FINE_CHANGES / batches, 1.0))
        if (number + 1) * MENDINGS // batches > number * MENDINGS // batches:
            improvements += search.mend_and_record()
        search.done = span[0] + (span[1] - span[0]) * (number + 1) / batches
        solution = search.outcome if search.found else None
        if not run.goes_on(search.done, search.largest, search.bound, DOING, solution):
            improvements += search.mend_and_record()
            break
        if search.ends_proven and search.proven:
            break
    return improvements


NEVER = 1 << 60
TREES = 8  # random trees tried before a class is left whole at the beginning
FIRM, WORK = 1e6, 1_000  # price of missing weight at that stage, and the number of steps for each area
GROW, SHRINK, LEAST, SHORT_MOST, LONG_MOST = 1.1, 0.95, 1.0, 1e4, 1e2  # how fines change after each batch, and limits


class Annealing:
    """A partition, the best one so far, and the fines."""

    def __init__(
        self,
        regions: Regions,
        k: int,
        bound: int,
        lengths: np.ndarray | None,
        compactness: float,
        generator: np.random.Generator,
        objective: str = "largest",
        minima: Sequence[Minimum] = (),
    ) -> None:
        n = len(regions)
        self.regions, self.bound, self.k = regions, bound, k
        start, neighbors = neighbor_lists(regions.edges, n)
        tails = np.repeat(np.arange(n), np.diff(start))
        border = _by_place(regions, tails, neighbors, lengths)
        columns = np.zeros((len(minima), n), dtype=np.int64)
        for row, minimum in enumerate(minima):
            columns[row] = regions.columns[minimum.column]
        pairs = np.array(conflict_pairs(regions.places(regions.apart)), dtype=np.int64).reshape(-1, 2)
        sets = regions.places(regions.together)
        ends = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        members = np.array([place for area_set in sets for place in area_set], dtype=np.int64)
        wishes = (*neighbor_lists(pairs, n), ends, members)
        self.graph = BorderGraph(start, neighbors, tails, regions.weights.copy(), border, columns, *wishes)
        numbers = np.zeros(1, dtype=NUMBERS).view(np.recarray)[0]
        numbers.k, numbers.target, numbers.best_largest = k, NEVER, NEVER
        numbers.scale = 1 / max(k, regions.total / n)
        numbers.short_price = numbers.breach_price = FIRM
        numbers.best_value = numbers.best_borders = np.inf
        self.squares_only = objective == "sum"
        numbers.summed = compactness > 0 or self.squares_only
        numbers.largest_share = not self.squares_only
        numbers.squares_share = 1 / regions.total
        if compactness:
            numbers.borders_share = compactness * bound * 2 / max(border.sum(), 1)
            numbers.border_price = numbers.borders_share / numbers.squares_share * numbers.scale**2

        def blank(size: int = n) -> np.ndarray:
            return np.zeros(size, dtype=np.int64)

        least = np.array([minimum.m for minimum in minima], dtype=np.int64)
        random = generator.integers(1, 1 << 63, 1, dtype=np.uint64)
        scratch = (blank(3), blank(4), blank(), random)
        sums = np.zeros_like(columns)
        self.state = PartitionState(blank(), blank(), blank(), least, sums, blank(), numbers, blank(), *scratch)
        below, counts = np.zeros_like(columns), np.zeros((len(minima), 4), dtype=np.int64)
        frontier = blank(len(neighbors) + 1)
        self.tree = ClassTree(blank(), blank(), blank(), below, blank(), blank() - 1, frontier, blank(4), counts)
        self.ease, self.more_classes = 1.0, False
        self.proof: Bound | None = None  # of the bound, if it is the family's
        self.done, self.ends_proven = 0.0, True  # share of the work; whether a round ends when the largest is proven
        self.most = int(class_room(regions, k, minima).sum())
        self.state.best[:] = regions.components

    def begin(self, partition: np.ndarray) -> None:
        """Cut every part of the map into balanced classes; keep a known partition if it is better."""
        self.load(partition)
        record(self.state)
        self.load(self.regions.components)
        record(self.state)
        split_up(self.graph, self.state, self.tree, TREES, WORK * len(self.regions))
        self.state.numbers.borders = cut_length(self.graph, self.state.label)
        record(self.state)
        self.return_to_best()
        self.state.numbers.short_price = self.state.numbers.breach_price = LEAST

    def load(self, label: np.ndarray) -> None:
        """Take over a partition with classes numbered below n."""
        state, n = self.state, len(self.regions)
        state.label[:] = np.unique(label, return_inverse=True)[1]
        classes = int(state.label.max()) + 1
        state.load[:] = np.bincount(state.label, weights=self.regions.weights, minlength=n)
        state.count[:] = np.bincount(state.label, minlength=n)
        state.sums[:] = 0
        np.add.at(state.sums.T, state.label, self.graph.columns.T)
        state.numbers.broken = breaches(self.graph, state.label)
        state.free[: n - classes] = np.arange(classes, n)
        state.numbers.free = n - classes
        state.numbers.borders = cut_length(self.graph, state.label)
        recount(state)

    def return_to_best(self) -> None:
        """Continue from the best partition."""
        self.load(self.state.best.copy())

    def offer(self, label: np.ndarray) -> bool:
        """Keep a partition if it is the best so far; returns whether it was."""
        self.load(label)
        return bool(record(self.state))

    def outcome(self) -> Outcome:
        """The best partition so far."""
        best = self.state.best
        return Outcome(
            assignment=numbered(best, self.regions.weights),
            details=forest_of_classes(self.regions, best, "recombined from neighboring classes"),
            guarantee=None,
            bound=self.proof,
        )

    @property
    def remakes(self) -> bool:
        """Whether neighborhoods may be re-formed: only the largest class counts, and there are no further wishes."""
        return not self.state.numbers.summed and len(self.graph.conflicts) + len(self.graph.set_members) == 0

    def admits(self, members: np.ndarray, labels: np.ndarray) -> bool:
        """Whether classes of these areas reach every minimum."""
        sums = np.zeros((int(labels.max()) + 1, len(self.graph.columns)), dtype=np.int64)
        np.add.at(sums, labels, self.graph.columns[:, members].T)
        return bool((sums >= self.state.minima).all())

    @property
    def found(self) -> bool:
        """Whether a partition that satisfies all wishes was found."""
        return bool(self.state.numbers.best_value < np.inf)

    @property
    def proven(self) -> bool:
        """Whether the best has the smallest possible largest class, and nothing else counts for more."""
        return self.found and not self.state.numbers.summed and self.largest == self.bound

    @property
    def largest(self) -> int:
        """The largest class of the best partition."""
        return int(np.bincount(self.state.best, weights=self.regions.weights).max())

    def aim(self, more_classes: bool) -> None:
        """Set the fines for a round: one for more classes and all of them smaller, or one for the largest class."""
        self.more_classes, self.ease = more_classes, 0.5 if more_classes else 1.0
        numbers = self.state.numbers
        numbers.short_price = numbers.long_price = numbers.breach_price = 2 * LEAST
        target = len(np.unique(self.state.best)) + 1
        numbers.pin = target if more_classes and target <= self.most else 0

    def batch(self, steps: int, heat: float, pace: float) -> int:
        """Make some steps, then raise the fines that had no effect; returns how often the best was improved."""
        numbers = self.state.numbers
        numbers.heat = heat
        largest = self.largest
        target = max(self.bound, min(self.bound + int((largest - self.bound) * self.ease), largest - 1))
        numbers.target = NEVER if self.squares_only and not self.more_classes else target
        improved = anneal(self.graph, self.state, self.tree, steps)
        numbers.short_price = min(
            max(numbers.short_price * (GROW if numbers.low else SHRINK) ** pace, LEAST), SHORT_MOST
        )
        numbers.breach_price = min(
            max(numbers.breach_price * (GROW if numbers.broken else SHRINK) ** pace, LEAST), SHORT_MOST
        )
        numbers.long_price = min(max(numbers.long_price * (GROW if numbers.over else SHRINK) ** pace, LEAST), LONG_MOST)
        if numbers.stamp > NEVER:
            numbers.stamp = self.state.mark[:] = 0
        return int(improved)

    def mend_and_record(self) -> bool:
        """Whether the partition would be the best if all classes that are too light joined a neighbor; if so, that one
        is kept."""
        label = self.state.label.copy()
        if mend(self.graph, self.state, self.tree) == 0:
            return bool(record(self.state))
        better = bool(record(self.state))
        self.load(label)
        return better

    def price_borders(self) -> float:
        """From now on shorter borders decide between partitions with equal classes; returns the price of a border."""
        state = self.state
        if not state.numbers.borders_share:
            state.numbers.border_price = 0.1 * state.numbers.scale**2  # no border outweighs a unit of weight
            state.numbers.best_borders = cut_length(self.graph, state.best)
        return float(state.numbers.border_price)


def _by_place(regions: Regions, tails: np.ndarray, neighbors: np.ndarray, lengths: np.ndarray | None) -> np.ndarray:
    """The border length at each place of the neighbor lists; 1 if none is given."""
    if lengths is None:
        return np.ones(len(tails))
    n = np.int64(len(regions))
    keys = regions.edges[:, 0] * n + regions.edges[:, 1]  # ascending: the edges are sorted
    return lengths[np.searchsorted(keys, np.minimum(tails, neighbors) * n + np.maximum(tails, neighbors))]


def border_lengths(regions: Regions) -> np.ndarray:
    """(e,) float64: length of the common border of each of `regions.edges`, the mean being 1.

    Areas that are joined across water, or meet in a point, share no border: 0. Without shapes every border counts as 1.

    >>> border_lengths(Regions("abc", [1, 1, 1], [(0, 1), (1, 2)])).tolist()
    [1.0, 1.0]
    """
    ones = np.ones(len(regions.edges))
    if regions.geometry is None or not len(ones):
        return ones
    outlines = shapely.boundary(np.asarray(regions.geometry, dtype=object))
    lengths = shapely.length(shapely.intersection(outlines[regions.edges[:, 0]], outlines[regions.edges[:, 1]]))
    return lengths / lengths.mean() if lengths.any() else ones
