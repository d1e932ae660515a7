"""Packs as evenly as possible into as many bins as possible, until a proven bound is met or nothing improves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.labels import packing_kernels
from kanon_engine.labels.bounds import lower_bound, most_classes
from kanon_engine.labels.cover import COVERED, ITEMS, LISTING, covered, remade
from kanon_engine.labels.even_packing import (
    SMALL,
    ConflictPacking,
    ConflictPackings,
    Packings,
    all_sets,
    packing_up_to,
    pairs_in_order,
    sizes_of,
)
from kanon_engine.labels.even_packing_kernels import Archive
from kanon_engine.labels.instance import BinDetails, Labels
from kanon_engine.labels.packing import bin_outcome
from kanon_engine.labels.two_approximation import two_approximation
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run

TRIES = 6  # numbers of bins below the largest that can be filled
DEEP = 4  # numbers of bins that are searched thoroughly
COVERS = 100_000_000  # steps of the search for exact covers
REMADE = 50_000_000  # steps of those in neighborhoods, for each number of bins
DEALT = "made as even as possible by repeatedly redistributing the labels of several groups"
PACKED = (
    "most common first into the lightest bin, then pairs of bins evened out by moving, swapping or redividing labels"
)


def near_optimal(labels: Labels, k: int, run: Run) -> Outcome:
    """Packs the labels into as many bins as possible, as evenly as possible; into fewer if that is better.

    Guarantee: at most 2 times the optimum, and not above Fold in sorted order; if the largest bin meets the lower
    bound, it is the optimum. Proof, and why one packing serves many k: docs/proofs/labels/near_optimal.md. If labels
    are kept apart, `packed_with_conflicts` packs them, and only the lower bound is guaranteed.

    The labels go, most common first, into the lightest of as many bins as possible. Pairs of bins are then evened out
    by moving a label, by exchanging two, or by differencing, until no pair can be. Then `covered` searches for the
    optimum and its proof, which it finds for about forty labels, or about a hundred of few sizes. For more labels,
    `remade` first redistributes those of several bins as their best exact cover. If none of this ends the search, bins
    are redistributed at random for as long as the budget lasts. Among such packings with the same largest bin, the one
    with the least sum of squares wins.

    Returns: `details` is a `BinDetails`. `bound` is of kind "solver" where only a long search proves it.

    Complexity
    ----------
    O(n log m) for the first packing; then at most a fixed number of steps for each number of bins.

    References
    ----------
    R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969): lowest level first.
    N. Karmarkar, R. M. Karp, "The differencing method of set partitioning", UCB/CSD 82/113 (1982).

    Bins of 13 and 13, where Spread in sorted order makes 15 and 11.

    >>> labels = Labels("abcdefg", [6, 5, 5, 5, 3, 1, 1])
    >>> near_optimal(labels, 10, Run()).assignment.tolist()
    [0, 0, 1, 1, 1, 0, 0]
    """
    bound = lower_bound(labels, k)
    if labels.conflicts:
        packed = packed_with_conflicts(labels, k, bound.value, run)
        return bin_outcome(labels.descending, packed.bins, k, packed.method, bound=bound)

    def outcome(packing: BestPacking) -> Outcome:
        return bin_outcome(labels.descending, packing.bins, k, packing.method, packing.ceiling, packing.raised or bound)

    def goes_on(done: float, packing: BestPacking, message: str) -> bool:
        return run.goes_on(done, packing.cost, packing.low, message, partial(outcome, packing))

    return outcome(best_packing(labels, k, bound.value, Packings(labels, run.seed), goes_on, COVERS))


def packed_for_each(
    labels: Labels, ks: np.ndarray, bounds: np.ndarray, packings: Packings
) -> tuple[np.ndarray, np.ndarray]:
    """Cost and number of classes that `near-optimal` reaches for each k without exact covers, from the lower bounds."""
    classes = np.empty(len(ks), dtype=np.int64)
    packing_kernels.most_classes_each(labels.descending_sums, ks, classes)
    costs = packings.quick_costs(ks, classes)
    for row in np.flatnonzero(costs > bounds).tolist():
        packing = best_packing(labels, int(ks[row]), int(bounds[row]), packings)
        costs[row], classes[row] = packing.cost, len(np.unique(packing.bins))
    return costs, classes


@dataclass(frozen=True)
class BestPacking:
    """A packing, and what is proven."""

    cost: int  # largest bin
    squares: float  # sum of squares of all bins
    bins: np.ndarray  # (n,) int: the bin of each label from the heaviest on
    method: str  # how it was made
    ceiling: int | None
    low: int  # a proven lower bound
    raised: Bound | None = None  # what proves it, if it is above the given bound


def best_packing(
    labels: Labels,
    k: int,
    low: int,
    packings: Packings,
    goes_on: Callable[[float, BestPacking, str], bool] = lambda *_: True,
    steps: int = 0,
) -> BestPacking:
    """The best packing found for k; the search ends when its largest bin is `low`, a proven bound.

    A search for exact covers with the given steps comes before the long search of packings; it may raise the bound.
    """
    first = two_approximation(labels, k, Run())
    levels = np.bincount(first.assignment, labels.counts)
    bins, ceiling = first.assignment[labels.descending], first.guarantee
    method = cast(BinDetails, first.details).method
    best = BestPacking(int(levels.max()), float((levels**2).sum()), bins, method, ceiling, low)
    most = most_classes(labels, k)[0]
    tried: list[int] = []

    def consider(archive: Archive) -> bool:
        """Keep a better packing; True if some packing is feasible for this k."""
        nonlocal best
        row = archive.best(k)
        if row is not None and (archive.heaviest[row], archive.squares[row]) < (best.cost, best.squares):
            cost, squares = int(archive.heaviest[row]), float(archive.squares[row])
            best = replace(best, cost=cost, squares=squares, bins=archive.bins[row], method=PACKED)
        return row is not None

    def more(bins: int, done: float, what: str) -> bool:
        """Whether this number of bins could be better, and there is time."""
        useful = bins >= 1 and best.cost > best.low and -(-labels.total // bins) < best.cost
        return useful and goes_on(done, best, f"{what} {bins:,} groups")

    empty, full = most + 1, 0  # numbers of bins: the smallest that was not filled, the largest that was
    bins, step = most, 1
    while empty - full > 1 and (bins == most or more(bins, 0.2, "packing into")):
        tried.append(bins)
        if consider(packings.quick(bins)):
            full = bins
        else:
            empty = bins
        bins = (empty + full) // 2 if full else max(empty - step, 1)
        step *= 2
        if not goes_on(0.1, best, "packing"):
            return best
    for bins in range(full - 1, full - 1 - TRIES, -1):
        if bins in tried:
            continue
        if not more(bins, 0.4, "packing into"):
            break
        tried.append(bins)
        consider(packings.quick(bins))
    if steps and len(labels) > ITEMS:
        for bins in sorted({most, full} - {0, 1}, reverse=True):
            if more(bins, 0.4, "redistributing"):
                best = _remade(labels, k, best, packings, bins, goes_on)
    if steps and best.cost > low:  # a search for exact covers, which may also prove more
        cover_goes_on = lambda share, *_: goes_on(0.4 + 0.1 * share, best, LISTING)  # noqa: E731
        cover = covered(labels, k, best.low, best.cost, steps, cover_goes_on)
        if cover.bound is not None:
            best = replace(best, low=cover.bound.value, raised=cover.bound)
        if cover.bins is not None:
            squares = float((np.bincount(cover.bins, labels.counts) ** 2).sum())
            bins_of = cover.bins[labels.descending]
            best = replace(best, cost=cover.cost, squares=squares, bins=bins_of, method=COVERED)
    for number, bins in enumerate(sorted(tried, reverse=True)[-DEEP - TRIES :][:DEEP]):
        if more(bins, 0.5 + 0.5 * number / DEEP, "searching for better packings into"):
            consider(packings.thorough(bins))
    return best


def _remade(
    labels: Labels,
    k: int,
    best: BestPacking,
    packings: Packings,
    bins: int,
    goes_on: Callable[[float, BestPacking, str], bool],
) -> BestPacking:
    """The packing, or a better one with as many bins, made by redistributing neighborhoods."""
    weights, archive = labels.counts[labels.descending], packings.quick(bins)
    evenest = archive.bins[int(np.argmin(archive.heaviest))]
    low = max(best.low, -(-labels.total // bins))
    progress = lambda share: goes_on(0.4 + 0.05 * share, best, f"redistributing {bins:,} groups")  # noqa: E731
    packing = remade(weights, evenest, k, low, REMADE, np.random.default_rng(packings.seed), progress)
    levels = np.bincount(packing, weights)
    if levels.min() < k or levels.max() >= best.cost:
        return best
    return replace(best, cost=int(levels.max()), squares=float((levels**2).sum()), bins=packing, method=DEALT)


# ---------------------------------------------------------------------------------------------------------------------
# Near-optimal if some labels must not share a class: those are dealt out first, the others around them.
# ---------------------------------------------------------------------------------------------------------------------


CONFLICT_TRIES = 4  # numbers of bins below the largest that can be filled
LARGEST_MODEL = 20_000  # labels times bins up to which CP-SAT is tried if nothing was found


def packed_with_conflicts(labels: Labels, k: int, low: int, run: Run) -> ConflictPacking:
    """The best packing found with no two labels of `labels.conflicts` in one bin.

    Few labels are solved by examining all sets of them. For more, the labels with conflicts are dealt out to bins, the
    one with the fewest bins left first (as in Brélaz' coloring) and into the lightest of them; the others fill up as in
    `near_optimal`; then single labels are moved or swapped if that evens out bins and is allowed.

    Raises
    ------
    Infeasible : All sets of labels were examined, or CP-SAT proves that there is no such packing.
    InvalidInput : No packing was found, and it is not known whether one exists.
    """
    weights = np.ascontiguousarray(labels.counts[labels.descending])
    if len(labels) <= SMALL:
        best, of_all = all_sets(weights, k, pairs_in_order(labels, labels.descending))
        if of_all is None:
            raise Infeasible(NONE.format(k=k, how="all sets of labels were examined"))
        return ConflictPacking(best, of_all, "the best of all partitions")
    packer = ConflictPackings(labels, weights, run)
    most, fewest = most_classes(labels, k)[0], len(labels.clique)
    found: ConflictPacking | None = None

    def attempt(bins: int) -> bool:
        """Whether this many bins could be filled."""
        nonlocal found
        filled = False
        for packed in packer.packings(bins, k):
            filled = True
            if found is None or packed.cost < found.cost:
                found = packed
            if found.cost == low:
                break
        return filled

    def goes_on(done: float, bins: int) -> bool:
        better = found is None or (found.cost > low and -(-labels.total // bins) < found.cost)
        return better and run.goes_on(done, None if found is None else found.cost, low, f"packing into {bins:,} groups")

    tried: set[int] = set()
    empty, full, bins, step = most + 1, 0, most, 1
    while empty - full > 1 and bins >= fewest and goes_on(0.2, bins):
        tried.add(bins)
        full, empty = (bins, empty) if attempt(bins) else (full, bins)
        bins = (empty + full) // 2 if full else max(empty - step, fewest if empty > fewest else 0)
        step *= 2
    for bins in range(full - 1, max(full - 1 - CONFLICT_TRIES, fewest - 1, 0), -1):
        if bins not in tried and goes_on(0.6, bins):
            attempt(bins)
    return found if found is not None else _by_model(labels, k, run)


NONE = (
    "No grouping into groups of at least k = {k:,} keeps these labels apart ({how}); lower k or keep fewer labels "
    "apart."
)


def _by_model(labels: Labels, k: int, run: Run) -> ConflictPacking:
    order, sizes = sizes_of(labels, k, most_classes(labels, k)[0])
    if len(sizes.weights) * sizes.most <= LARGEST_MODEL:
        goes_on = partial(run.goes_on, 0.9, None, None, "asking")
        verdict, bins, _ = packing_up_to(sizes, run.seed, labels.total, 1.0, goes_on)
        if verdict == "impossible":
            raise Infeasible(NONE.format(k=k, how="proven by the solver CP-SAT"))
        if bins is not None:
            of_label = np.empty(len(labels), dtype=np.int64)
            of_label[order] = bins
            largest = int(np.bincount(of_label, labels.counts).max())
            return ConflictPacking(largest, of_label[labels.descending], "a packing found by the solver CP-SAT")
    raise InvalidInput(
        f"kanon found no grouping that keeps these labels apart in groups of at least k = {k:,}, but there may be one; "
        "lower k, or keep fewer labels apart."
    )
