"""The paper's approximation scheme (Theorem 10): cost at most (1 + epsilon) (Opt + k)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Candidate, best_outcome, candidate, sorted_fold, sorted_packing
from kanon_engine.labels.scheme_kernels import Configurations, best_gains
from kanon_engine.labels.two_approximation_kernels import place_below
from kanon_engine.model.run import Outcome, Run

ENOUGH = 16  # once the guarantee holds against a lower bound, this many numbers of bins are tried

NOWHERE = np.zeros(0, dtype=np.int64)

Finish = Callable[[np.ndarray, np.ndarray], np.ndarray | None]


def scheme(labels: Labels, k: int, run: Run, *, epsilon: float) -> Outcome:
    """Packs large labels by the best packing of rounded ones, small ones into the lightest bin, and merges light bins.

    Guarantee: cost <= (1 + epsilon) (Opt + k), never above Fold on the sorted labels; after a stop, only the latter.
    Proof: docs/proofs/labels/scheme.md.

    Complexity
    ----------
    O(P m c log c) for the types, with P the product of (1 + number of labels) over the rounded sizes, m bins and c
    configurations of a bin: polynomial for a fixed epsilon, of a high degree. O(n log n) for each number of bins.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Theorem 10.

    Fold puts 9 and 9 together and ends with 23; the types find that both should be alone.

    >>> labels = Labels("abcdef", [9, 9, 7, 7, 5, 4])
    >>> result = scheme(labels, 10, Run(), epsilon=0.5)
    >>> int(np.bincount(result.assignment, labels.counts).max())
    16
    """
    return best_by_types(labels, k, run, plan_of(k, epsilon))


@dataclass(frozen=True)
class Plan:
    """How Theorems 10 and 11 differ."""

    epsilon: Fraction  # of the rounding
    finish: Finish  # from the bins and levels of a completed type, the bins of a packing that may be returned, or None
    promise: Callable[[int], Fraction]  # the cost promised if the optimum is the given number
    words: str  # how a packing is made, for a person
    threshold: int  # minimum weight of every bin of a finished packing


def plan_of(k: int, epsilon: float) -> Plan:
    """That of Theorem 10: bins below k are merged."""
    ratio = 1 + exact(epsilon)

    def merged(bins: np.ndarray, levels: np.ndarray) -> np.ndarray:
        return _merged(levels, k)[bins]

    words = (
        "the large labels were packed by their rounded sizes, then each small label went into the lightest group; "
        "groups below k were merged"
    )
    return Plan(exact(epsilon), merged, lambda least: ratio * (least + k), words, k)


@dataclass(frozen=True)
class Tried:
    """The outcome for one number of bins."""

    bins: int
    # the configurations of the nonempty bins; None if no type has the required properties
    type: list[np.ndarray] | None
    # (n,) int64: the bin of each label, most common first, once the small ones are in; empty if there is no type
    places: np.ndarray
    levels: np.ndarray  # (m,) int64: the weight of each bin then
    made: Candidate | None  # the resulting packing, if it may be returned


def best_by_types(labels: Labels, k: int, run: Run, plan: Plan) -> Outcome:
    """The cheapest of Fold and the completed types of all numbers of bins, largest number first."""
    folded = sorted_fold(labels, sorted_packing(labels, k))
    tried = types_tried(labels, k, run, plan, folded.cost)
    return best_outcome([folded, *(one.made for one in tried if one.made)], plan.threshold, folded.cost)


def types_tried(labels: Labels, k: int, run: Run, plan: Plan, folded: int) -> Iterator[Tried]:
    """One number of bins after another, as long as it may be better than Fold, which costs `folded`, and the others.

    Nothing if Fold is the best possible.
    """
    heaviest, most, best = int(labels.counts.max()), most_bins(labels, k), folded
    if best <= max(k, heaviest):
        return
    search = TypesSearch(labels, k, plan.epsilon, folded)
    least = max(k, heaviest, -(-labels.total // most))
    for tried, bins in enumerate(range(most, 0, -1)):
        if -(-labels.total // bins) >= best or (tried >= ENOUGH and best <= plan.promise(least)):
            return
        if not run.goes_on(tried / most, best, least, f"trying {bins:,} groups in {search.steps:,} steps"):
            return
        bin_types = search.type_for(bins)
        if bin_types is None:
            yield Tried(bins, None, NOWHERE, NOWHERE, None)
            continue
        places, levels = search.completed(bin_types, bins)
        packed = plan.finish(places, levels)
        packing = None if packed is None else _candidate(labels, search.large, packed, plan.words)
        best = best if packing is None else min(best, packing.cost)
        yield Tried(bins, bin_types, places, levels, packing)


def _candidate(labels: Labels, large: int, bins: np.ndarray, words: str) -> Candidate:
    """Large labels, one bin after another, then the small ones, most common first."""
    turn = np.concatenate([np.argsort(bins[:large], kind="stable"), np.arange(large, len(bins))])
    return candidate(labels, labels.descending[turn], np.unique(bins, return_inverse=True)[1][turn], words)


def _merged(levels: np.ndarray, k: int) -> np.ndarray:
    """The bin that each bin ends in when the two lightest are merged as long as one is below k."""
    merges = []
    heap = [(level, number) for number, level in enumerate(levels.tolist())]
    heapq.heapify(heap)
    while heap[0][0] < k:
        level, number = heapq.heappop(heap)
        other, into = heap[0]
        heapq.heapreplace(heap, (level + other, into))
        merges.append((number, into))
    target = np.arange(len(levels))
    for number, into in reversed(merges):  # what `into` was merged with later is already known
        target[number] = target[into]
    return target


# ---------------------------------------------------------------------------------------------------------------------
# The types of Theorem 10: packings of rounded large labels, one for each number of bins.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CONFIGURATIONS = 100_000
MOST_ENTRIES = 10_000_000  # of the table, 80 MB
MOST_STEPS = 20_000_000_000  # of one dynamic program, some seconds


class TypesSearch:
    """For each number of bins, the type of least rounded cost.

    A type is a packing of the rounded large labels into that many bins, some of them empty. Only types are considered
    whose rounded cost is at most `ceiling` and whose bins can be filled by the small labels. A dynamic program finds
    the largest sum of min(k, heaviest weight) for a cap on a bin; the least sufficient cap is found by bisection. Why
    that is enough: docs/proofs/labels/scheme.md.

    Parameters
    ----------
    epsilon : Labels of at least epsilon k are large.
    ceiling : Cost of some feasible packing.

    Raises `InvalidInput`: the table would be too large; the message gives its size.
    """

    def __init__(self, labels: Labels, k: int, epsilon: Fraction, ceiling: int) -> None:
        self.labels, self.k = labels, k
        self.weights = labels.counts[labels.descending]
        self.rounding = rounded(self.weights, k, epsilon)
        self.large = len(self.rounding.group)
        self.small = int(self.weights[self.large :].sum())
        self.bins = min(self.large, most_bins(labels, k))
        rows = configurations(self.rounding, ceiling, MOST_CONFIGURATIONS)
        entries = self.rounding.states * (self.bins + 1)
        self.steps = entries * (MOST_CONFIGURATIONS if rows is None else len(rows))
        if rows is None or entries > MOST_ENTRIES or self.steps > MOST_STEPS:
            many = f"more than {MOST_CONFIGURATIONS:,}" if rows is None else f"{len(rows):,}"
            raise InvalidInput(
                f"{self.large:,} labels are large (at least {float(epsilon):g} × k), with {len(self.rounding.low):,} "
                f"sizes after rounding. To list all ways to pack them, kanon would fill a table of {_size(entries)} "
                f"entries, consider {many} ways to fill a group and take {_size(self.steps)} steps. It allows no more "
                f"than {_size(MOST_ENTRIES)} entries and {_size(MOST_STEPS)} steps; choose a larger epsilon or another "
                "algorithm."
            )
        self.rows = rows
        self.rounded_weights = rows @ self.rounding.low
        self.gains = np.minimum(rows @ self.rounding.high, k)
        self.tops = np.array([np.flatnonzero(row)[-1] for row in rows], dtype=np.int64)
        self.strides = np.concatenate([[1], np.cumprod(self.rounding.numbers + 1)[:-1]]).astype(np.int64)
        self.strides = self.strides[: len(self.rounding.low)]
        self.caps = np.unique(np.concatenate([[0], self.rounded_weights]))
        self._known: dict[int, np.ndarray] = {}

    def type_for(self, bins: int) -> list[np.ndarray] | None:
        """The configurations of the nonempty bins, or None if no type has the properties above."""
        low, high = 0, len(self.caps)
        while low < high:
            middle = (low + high) // 2
            if middle not in self._known:
                self._known[middle] = np.maximum.accumulate(self._table(middle)[0][-1])
            gain = int(self._known[middle][min(bins, self.bins)])
            if gain >= 0 and bins * self.k - gain <= self.small:
                high = middle
            else:
                low = middle + 1
        return None if low == len(self.caps) else self._traced(low, bins)

    def completed(self, bin_types: list[np.ndarray], bins: int) -> tuple[np.ndarray, np.ndarray]:
        """Steps 1 and 2 of the theorem: large labels in place of their rounded ones, small ones into the lightest bin.

        Returns
        -------
        bins : (n,) int64. Bin of each label, most common first.
        levels : (m,) int64 array
        """
        places = np.empty(len(self.weights), dtype=np.int64)
        for group in range(len(self.rounding.low)):
            members = np.flatnonzero(self.rounding.group == group)
            places[members] = np.repeat(np.arange(len(bin_types)), [int(row[group]) for row in bin_types])
        levels = np.bincount(places[: self.large], self.weights[: self.large], bins).astype(np.int64)
        place_below(levels, self.weights[self.large :], self.labels.total, places[self.large :])
        return places, levels

    def _table(self, cap: int) -> tuple[np.ndarray, Configurations]:
        """The table for a cap, with the configurations that it is built from."""
        inside = self.rounded_weights <= self.caps[cap]
        rows, gains = self.rows[inside], self.gains[inside]
        starts = np.searchsorted(self.tops[inside], np.arange(len(self.rounding.low) + 1))
        table = np.empty((self.rounding.states, self.bins + 1), dtype=np.int64)
        inside_cap = Configurations(rows, rows @ self.strides, gains, starts)
        best_gains(self.rounding.numbers, inside_cap, table)
        return table, inside_cap

    def _traced(self, cap: int, bins: int) -> list[np.ndarray]:
        """One way to reach the largest gain with at most this many bins."""
        table, (rows, offsets, gains, _) = self._table(cap)
        state = len(table) - 1
        used = int(np.argmax(table[-1, : min(bins, self.bins) + 1]))
        left = self.rounding.numbers.copy()
        bin_types = []
        while state:
            top = int(np.flatnonzero(left)[-1])
            fits = np.flatnonzero((rows <= left).all(axis=1) & (rows[:, top] > 0))
            reached = table[state - offsets[fits], used - 1]
            row = int(fits[np.argmax((reached >= 0) & (reached + gains[fits] == table[state, used]))])
            bin_types.append(rows[row])
            left -= rows[row]
            state -= int(offsets[row])
            used -= 1
        return bin_types


def most_bins(labels: Labels, k: int) -> int:
    """The sum of min(x, k) over k, rounded down: each bin holds at least k also when no label counts for more than k.

    >>> most_bins(Labels("abc", [100, 9, 9]), 10)
    2
    """
    return int(np.minimum(labels.counts, k).sum()) // k


def _size(number: int) -> str:
    digits = str(number)
    return f"{number:,}" if number < 10**6 else f"{digits[0]}·10^{len(digits) - 1}"


@dataclass(frozen=True)
class Rounding:
    """The large labels, those of at least epsilon k, in groups of nearly equal weight.

    A group begins with the lightest label not yet in one, of weight low, and takes all up to (1 + epsilon) low; x is
    rounded down to low, so that round(x) <= x <= (1 + epsilon) round(x).
    """

    # (l,) int64: group of each large label, from the most common label on; groups are numbered from the lightest on
    group: np.ndarray
    # low, high: (g,) int64: lightest and heaviest label of each group
    low: np.ndarray
    high: np.ndarray
    numbers: np.ndarray  # (g,) int64: how many labels each group has

    @property
    def states(self) -> int:
        """How many sub-multisets the rounded large labels have."""
        product = 1
        for number in self.numbers.tolist():
            product *= number + 1
        return product


def exact(epsilon: float) -> Fraction:
    """The number as written: 0.1 is 1/10."""
    return Fraction(str(epsilon))


def rounded(weights: np.ndarray, k: int, epsilon: Fraction) -> Rounding:
    """Round the large weights of a descending list.

    >>> rounding = rounded(np.array([16, 12, 11, 7, 6, 5, 2]), 10, Fraction(1, 2))
    >>> rounding.group.tolist(), rounding.low.tolist(), rounding.high.tolist(), rounding.states
    ([1, 1, 1, 0, 0, 0], [5, 11], [7, 16], 16)
    """
    low: list[int] = []
    group, limit = [], 0
    for weight in reversed(weights[: int(np.count_nonzero(weights >= -(-epsilon * k // 1)))].tolist()):
        if weight > limit:
            low.append(weight)
            limit = int((1 + epsilon) * weight // 1)
        group.append(len(low) - 1)
    numbers = np.bincount(np.array(group, dtype=np.int64), minlength=len(low)).astype(np.int64)
    ends = len(group) - np.cumsum(numbers)  # where each group begins, counted from the most common label
    return Rounding(np.array(group[::-1], dtype=np.int64), np.array(low, dtype=np.int64), weights[ends], numbers)


def configurations(rounding: Rounding, limit: int, most: int) -> np.ndarray | None:
    """All ways to put large labels into one bin of rounded weight at most `limit`; None if there are more than `most`.

    Returns (c, g) int64 array: how many labels of each group; by the heaviest group that they have, ascending.

    >>> rounding = rounded(np.array([16, 12, 11, 7, 6, 5, 2]), 10, Fraction(1, 2))
    >>> configurations(rounding, 16, 100).tolist()
    [[1, 0], [2, 0], [3, 0], [0, 1], [1, 1]]
    """
    prefixes: list[tuple[int, tuple[int, ...]]] = [(0, ())]  # rounded weight, how many labels of the groups so far
    for low, number in zip(rounding.low.tolist(), rounding.numbers.tolist(), strict=True):
        longer = []
        for many in range(min(number, limit // low) + 1):
            longer += [(level + many * low, (*row, many)) for level, row in prefixes if level + many * low <= limit]
            if len(longer) > most:
                return None
        prefixes = longer
    filled = [row for _, row in prefixes[1:]]  # the first is the empty one
    rows = np.array(filled, dtype=np.int64).reshape(len(filled), len(rounding.low))
    tops = np.array([np.flatnonzero(row)[-1] for row in rows], dtype=np.int64)
    return rows[np.argsort(tops, kind="stable")]
