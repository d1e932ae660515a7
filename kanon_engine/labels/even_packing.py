"""Packings into a given number of bins, as even as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.even_packing_kernels import MODULUS, Archive, EvenPacking, Work, quick, search
from kanon_engine.labels.instance import Labels
from kanon_engine.model.run import Run
from kanon_engine.search.search_kernels import best_classes, sums_of_sets
from kanon_engine.search.solvers import solved, solver_for

ARCHIVED = 16  # packings in the archive of one number of bins
QUICK = 8_000_000  # steps of work, some nanoseconds each
THOROUGH = 8_000_000
THOROUGH_FOR_ONE = 100_000  # for each label, where there are few


class Packings:
    """The packings of some labels, each computed when first requested; none depends on k.

    `seed`: for the random choices in `thorough`.

    >>> packings = Packings(Labels("abcde", [5, 4, 3, 2, 2]))
    >>> archive = packings.quick(2)
    >>> archive.best(8), archive.heaviest[archive.best(8)].tolist()
    (0, 8)
    """

    def __init__(self, labels: Labels, seed: int = 0) -> None:
        self.seed = seed
        self._weights = np.ascontiguousarray(labels.counts[labels.descending])
        self._quick: dict[int, Archive] = {}
        self._thorough: dict[int, Archive] = {}
        self._last: dict[int, np.ndarray] = {}

    def quick(self, bins: int) -> Archive:
        """Lowest level first, then moves, swaps and differencing between two bins until no two become more equal."""
        if bins not in self._quick:
            n = len(self._weights)
            archive = Archive.blank(ARCHIVED, n)
            bin_of, levels = np.empty(n, dtype=np.int64), np.zeros(bins, dtype=np.int64)
            quick(
                EvenPacking(self._weights, bin_of, levels),
                Work(np.zeros(1, np.int64), QUICK, np.ones(1, np.int64)),
                archive,
            )
            used = archive.lightest >= 0
            self._quick[bins] = Archive(*(rows[used] for rows in archive))
            self._last[bins] = bin_of.astype(np.int32)
        return self._quick[bins]

    def thorough(self, bins: int) -> Archive:
        """The result of `quick`, repeatedly perturbed at random and evened out."""
        if bins not in self._thorough:
            before = self.quick(bins)
            n = len(self._weights)
            archive = Archive.blank(ARCHIVED, n)
            for rows, earlier in zip(archive, before, strict=True):
                rows[: len(earlier)] = earlier
            bin_of = self._last[bins].astype(np.int64)
            levels = np.zeros(bins, dtype=np.int64)
            np.add.at(levels, bin_of, self._weights)
            state = np.array([1 + (self.seed * 7919 + bins) % (MODULUS - 1)])
            work = Work(np.zeros(1, np.int64), min(THOROUGH, THOROUGH_FOR_ONE * n), state)
            if bins > 1:
                search(EvenPacking(self._weights, bin_of, levels), work, archive)
            self._thorough[bins] = archive
        return self._thorough[bins]

    def quick_costs(self, ks: np.ndarray, bins: np.ndarray) -> np.ndarray:
        """The largest bin of the best quick packing for each k with its number of bins; 2^62 where there is none."""
        costs = np.full(len(ks), 1 << 62, dtype=np.int64)
        for number in np.unique(bins).tolist():
            rows = bins == number
            archive = self.quick(number)
            for low, high in zip(archive.lightest.tolist(), archive.heaviest.tolist(), strict=True):
                served = rows & (ks <= low)
                costs[served] = np.minimum(costs[served], high)
        return costs


# ---------------------------------------------------------------------------------------------------------------------
# Packings of labels of which some must not share a bin, into a given number of bins.
# ---------------------------------------------------------------------------------------------------------------------


STARTS = 6  # ways to deal out the labels kept apart, for each number of bins
SEARCH = 1_000_000  # steps of the kernels for each way
SEARCH_FOR_ONE = 10_000  # for each label, where there are few
EXCHANGES = 20_000_000  # labels examined for a move or an exchange, in a whole run
CONFLICT_ARCHIVED = 8
METHOD = (
    "labels kept apart first, then the others into the lightest bin, then pairs of bins evened out by moving, swapping "
    "or redividing labels"
)


@dataclass
class ConflictPacking:
    """Bins of the labels in descending order, and the largest bin."""

    cost: int
    bins: np.ndarray
    method: str = METHOD


def pairs_in_order(labels: Labels, order: np.ndarray) -> list[tuple[int, int]]:
    """The conflicts, as places in an order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [(int(place[one]), int(place[other])) for one, other in labels.conflicts]


class ConflictPackings:
    """Labels in descending order, some of which exclude each other."""

    def __init__(self, labels: Labels, weights: np.ndarray, run: Run) -> None:
        self._x = weights
        self._random = run.generator()
        self._seed = run.seed
        self._left = EXCHANGES
        pairs = pairs_in_order(labels, labels.descending)
        self._bound = np.unique(np.array(pairs))  # labels with conflicts
        self._free = np.setdiff1d(np.arange(len(weights)), self._bound)
        number = {place: at for at, place in enumerate(self._bound.tolist())}
        self._excludes = np.zeros((len(self._bound), len(self._bound)), dtype=bool)
        for one, other in pairs:
            self._excludes[number[one], number[other]] = self._excludes[number[other], number[one]] = True

    def packings(self, bins: int, k: int) -> Iterator[ConflictPacking]:
        """Packings into a given number of bins, all of which reach k."""
        for start in range(STARTS):
            dealt = self._dealt(bins, start > 0)
            if dealt is None:
                continue
            for repeat in range(2):
                whole = self._filled(dealt, bins, k, start * 2 + repeat)
                levels = np.bincount(whole, self._x, bins).astype(np.int64)
                self._exchanged(whole, levels)
                if levels.min() >= k:
                    yield ConflictPacking(int(levels.max()), whole)
                dealt = whole[self._bound]

    def _dealt(self, bins: int, at_random: bool) -> np.ndarray | None:
        """The bin of each label with conflicts; None if some label had no bin left."""
        weights = self._x[self._bound]
        turn = weights * self._random.uniform(0.5, 1.5, len(weights)) if at_random else weights.astype(float)
        barred = np.zeros((len(weights), bins), dtype=bool)
        levels = np.zeros(bins, dtype=np.int64)
        dealt = np.full(len(weights), -1)
        for _ in range(len(weights)):
            left = np.where(dealt < 0, barred.sum(axis=1), -1)
            item = max(np.flatnonzero(left == left.max()).tolist(), key=turn.__getitem__)
            if barred[item].all():
                return None
            to = int(np.argmin(np.where(barred[item], np.iinfo(np.int64).max, levels)))
            dealt[item] = to
            levels[to] += weights[item]
            barred[self._excludes[item], to] = True
        return dealt

    def _filled(self, dealt: np.ndarray, bins: int, k: int, number: int) -> np.ndarray:
        """The bin of every label, those without conflicts packed around the others."""
        whole = np.empty(len(self._x), dtype=np.int64)
        whole[self._bound] = dealt
        if not len(self._free):
            return whole
        x = np.ascontiguousarray(self._x[self._free])
        levels = np.bincount(dealt, self._x[self._bound], bins).astype(np.int64)
        archive = Archive.blank(CONFLICT_ARCHIVED, len(x))
        packing = EvenPacking(x, np.empty(len(x), dtype=np.int64), levels)
        state = np.array([1 + (self._seed * 7919 + number) % (MODULUS - 1)])
        work = Work(np.zeros(1, dtype=np.int64), min(SEARCH, SEARCH_FOR_ONE * len(x)), state)
        quick(packing, work, archive)
        if bins > 1:
            work.spent[0] = 0
            search(packing, work, archive)
        row = max(range(CONFLICT_ARCHIVED), key=lambda row: (min(archive.lightest[row], k), -archive.heaviest[row]))
        whole[self._free] = archive.bins[row]
        return whole

    def _exchanged(self, whole: np.ndarray, levels: np.ndarray) -> None:
        """Move labels with conflicts, or exchange them with any label, where that makes two bins more equal."""
        at = np.full(len(self._x), -1)
        at[self._bound] = np.arange(len(self._bound))
        met = np.zeros((len(self._bound), len(levels)), dtype=np.int64)  # how many it excludes in each bin
        for item, place in enumerate(self._bound.tolist()):
            met[self._excludes[item], whole[place]] += 1
        changed = True
        while changed and self._left > 0:
            changed = False
            for item, place in enumerate(self._bound.tolist()):
                self._left -= len(self._x)
                origin, weight = int(whole[place]), int(self._x[place])
                gain = np.where(met[item] == 0, 2 * weight * (levels - levels[origin] + weight), 0)
                gain[origin] = 0
                to = int(np.argmin(gain))
                difference = weight - self._x
                exchange = 2 * difference * (levels[whole] - levels[origin] + difference)
                excluded = met[item][whole]
                others = self._excludes[item]
                excluded[self._bound] -= others
                barred = (excluded > 0) | (whole == origin)
                barred[self._bound] |= met[:, origin] - others > 0
                exchange[barred] = 0
                partner = int(np.argmin(exchange))
                if min(gain[to], exchange[partner]) >= 0:
                    continue
                changed = True
                if gain[to] <= exchange[partner]:
                    self._shift(whole, levels, met, place, to, at)
                else:
                    to = int(whole[partner])
                    self._shift(whole, levels, met, place, to, at)
                    self._shift(whole, levels, met, partner, origin, at)

    def _shift(
        self, whole: np.ndarray, levels: np.ndarray, met: np.ndarray, place: int, to: int, at: np.ndarray
    ) -> None:
        origin = int(whole[place])
        whole[place] = to
        levels[origin] -= self._x[place]
        levels[to] += self._x[place]
        if at[place] >= 0:
            met[self._excludes[at[place]], origin] -= 1
            met[self._excludes[at[place]], to] += 1


# ---------------------------------------------------------------------------------------------------------------------
# Can labels be packed with no bin above a cap? Two integer programs for CP-SAT.
# ---------------------------------------------------------------------------------------------------------------------


MOST_PATTERNS = 20_000
LISTING = 2_000_000  # steps of listing patterns


@dataclass(frozen=True)
class Sizes:
    """Labels of the same weight are interchangeable, except those with conflicts."""

    # weights, numbers: weights in descending order, how many of each
    weights: list[int]
    numbers: list[int]
    # k, most: the most bins
    k: int
    most: int
    apart: tuple[tuple[int, int], ...] = ()  # places in `weights`, the lesser first, that may not share a bin

    def unfolded(self, contents: list[list[int]]) -> np.ndarray:
        """The bin of each label in the order of `sizes_of`; labels of the same weight are dealt to one bin after
        another."""
        table = np.array(contents)
        return np.concatenate([np.repeat(np.arange(len(table)), table[:, size]) for size in range(table.shape[1])])


def sizes_of(labels: Labels, k: int, most: int) -> tuple[np.ndarray, Sizes]:
    """The labels' positions, heaviest first, and their sizes.

    >>> order, sizes = sizes_of(Labels("abcd", [4, 4, 4, 3], apart=[("a", "d")]), 5, 2)
    >>> order.tolist(), sizes.weights, sizes.numbers, sizes.apart
    ([1, 2, 0, 3], [4, 4, 3], [2, 1, 1], ((1, 2),))
    """
    distinct = np.full(len(labels), -1)  # a size of its own for each label with conflicts
    distinct[[place for pair in labels.conflicts for place in pair]] = 0
    distinct[distinct == 0] = np.flatnonzero(distinct == 0)
    order = np.lexsort((np.arange(len(labels)), distinct, -labels.counts))
    weights, distinct = labels.counts[order], distinct[order]
    first = np.flatnonzero((np.diff(weights, prepend=0) != 0) | (np.diff(distinct, prepend=-2) != 0))
    size = {int(place): number for number, place in enumerate(order[first].tolist())}
    conflicts = tuple(sorted((min(pair), max(pair)) for pair in ((size[a], size[b]) for a, b in labels.conflicts)))
    numbers = np.diff(first, append=len(order))
    return order, Sizes(weights[first].tolist(), numbers.tolist(), k, most, conflicts)


def packing_up_to(
    sizes: Sizes, seed: int, cap: int, effort: float, goes_on: Callable[[], bool]
) -> tuple[str, np.ndarray | None, float]:
    """Look for a packing with every bin from k to the cap.

    If few enough contents of a bin are possible, the program chooses how often each is used (Gilmore and Gomory's
    formulation); its bins are not distinguished. Otherwise it chooses how many labels of each weight each bin holds.
    Because bins are interchangeable, heavier bins come first, and used bins before unused ones.

    Parameters
    ----------
    effort : Deterministic time of CP-SAT, in its own unit; the same on every machine.
    goes_on : Whether to go on.

    Returns
    -------
    verdict : "impossible" (proven), "found" or "open".
    bins : (n,) int64 or None. The bin of each label in the order of `sizes_of`, when a packing was found.
    spent : The part of the effort that was used.
    """
    from ortools.sat.python import cp_model

    contents = possible_contents(sizes, cap)
    model = cp_model.CpModel()
    if contents is not None:
        most = [
            min(have // content for have, content in zip(sizes.numbers, c, strict=True) if content) for c in contents
        ]
        uses = [model.new_int_var(0, number, "") for number in most]
        for size, number in enumerate(sizes.numbers):
            model.add(sum(c[size] * use for c, use in zip(contents, uses, strict=True) if c[size]) == number)
    else:
        content = [[model.new_int_var(0, number, "") for number in sizes.numbers] for _ in range(sizes.most)]
        used = [model.new_bool_var("") for _ in content]
        loads = [sum(w * h for w, h in zip(sizes.weights, row, strict=True)) for row in content]
        for size, number in enumerate(sizes.numbers):
            model.add(sum(row[size] for row in content) == number)
        for row in content:
            for one, other in sizes.apart:
                model.add(row[one] + row[other] <= 1)
        for place, load in enumerate(loads):
            model.add(load >= sizes.k * used[place])
            model.add(load <= cap * used[place])
            if place:
                model.add(loads[place - 1] >= load)
                model.add_implication(used[place], used[place - 1])
    solver = solver_for(seed, effort)
    verdict = solved(solver, model, goes_on)
    if verdict != "found":
        return verdict, None, solver.deterministic_time
    if contents is not None:
        bins = [c for c, use in zip(contents, uses, strict=True) for _ in range(solver.value(use))]
    else:
        rows = [[solver.value(entry) for entry in row] for row in content]
        bins = [row for row in rows if any(row)]
    return "found", sizes.unfolded(bins), solver.deterministic_time


def possible_contents(sizes: Sizes, cap: int) -> list[list[int]] | None:
    """Every content of a bin that weighs k to the cap, as numbers of labels of each weight; None if there are too many.

    >>> possible_contents(Sizes([6, 5, 2], [1, 2, 3], k=10, most=2), 11)
    [[1, 1, 0], [1, 0, 2], [0, 2, 0], [0, 1, 3]]
    """
    excludes: dict[int, list[int]] = {}
    for one, other in sizes.apart:
        excludes.setdefault(other, []).append(one)
    rest = np.cumsum((np.array(sizes.weights) * np.array(sizes.numbers))[::-1])[::-1].tolist() + [0]
    patterns: list[list[int]] = []
    stack: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
    steps = 0
    while stack:
        size, weight, content = stack.pop()
        steps += 1
        if len(patterns) > MOST_PATTERNS or steps > LISTING:
            return None
        if weight + rest[size] < sizes.k:
            continue
        if size == len(sizes.weights):
            patterns.append(list(content))
            continue
        barred = any(content[other] for other in excludes.get(size, ()))
        most = 0 if barred else min(sizes.numbers[size], (cap - weight) // sizes.weights[size])
        stack += [(size + 1, weight + number * sizes.weights[size], (*content, number)) for number in range(most + 1)]
    return patterns


SMALL = 16  # labels up to which all sets are examined


def all_sets(weights: np.ndarray, k: int, conflicts: Iterable[tuple[int, int]] = ()) -> tuple[int, np.ndarray | None]:
    """The least largest class, and the class of each label with the least sum of squares; at most `SMALL` labels.

    Parameters
    ----------
    weights : (n,) int64
    conflicts : Labels that may not share a class.

    Returns
    -------
    best : int
    bins : (n,) int64, or None. None, with a best of 0, where there is no such partition.

    >>> best, bins = all_sets(np.array([6, 5, 4, 3]), 8)
    >>> best, bins.tolist()
    (9, [0, 1, 1, 0])
    >>> best, bins = all_sets(np.array([6, 5, 4, 3]), 8, [(0, 3)])
    >>> best, bins.tolist()
    (10, [0, 1, 0, 1])
    """
    bins = np.zeros(len(weights), dtype=np.int64)
    sums = sums_of_sets(np.ascontiguousarray(weights))
    masks = np.arange(len(sums))
    allowed = np.ones(len(sums), dtype=np.bool_)
    for one, other in conflicts:
        allowed &= (masks >> one & masks >> other & 1) == 0
    best = best_classes(sums, allowed, k, 0, bins)
    if not np.isfinite(best):
        return 0, None
    best_classes(sums, allowed, k, int(best), bins)
    return int(best), bins
