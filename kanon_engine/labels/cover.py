"""Packings as exact covers: list what a bin may hold, and choose contents that hold every label once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.bounds import most_classes
from kanon_engine.labels.cover_kernels import Contents, Failed, Fields, Stack, count_pairs, list_pairs, search
from kanon_engine.labels.even_packing import Sizes, sizes_of
from kanon_engine.labels.instance import Labels
from kanon_engine.model.objective import Bound

COVERED = "the best choice among all groups that the labels can form"
LISTING = "choosing among all groups that the labels can form"
CHECKED_STEPS = 6_000_000  # up to which the verifier repeats a refutation
CHECKED_SUMS = 1 << 18  # sums of halves, and contents, for that


@dataclass(frozen=True)
class Covered:
    # (n,) int64 or None: the bin of each label, by position, of a packing that costs less than the known one
    bins: np.ndarray | None
    cost: int  # its largest bin; that of the known packing if there is no better one
    bound: Bound | None  # if it is above the known bound


def covered(
    labels: Labels, k: int, low: int, cost: int, steps: int, goes_on: Callable[[float, int, int], bool]
) -> Covered:
    """A packing that costs less than a known one, and a lower bound on the cost of all; both by iterative weakening.

    Caps grow from the lower bound on. For each, all contents of a bin that leave the others within the cap are listed
    and searched for a choice that holds every label once. The first cap with a packing has the optimum below it. Proof:
    docs/proofs/labels/exact_cover.md. It does not apply to labels with conflicts.

    Parameters
    ----------
    labels : Without conflicts.
    low, cost : A proven lower bound, and what the known packing costs.
    steps : Most contents to try, at a few nanoseconds each.
    goes_on : ``goes_on(share, cost, low)``: whether to go on.

    Complexity: Exponential; bounded by the steps and by `MOST_HALF` sums of half of the labels.

    References
    ----------
    E. L. Schreiber, R. E. Korf, M. D. Moffitt, "Optimal multi-way number partitioning", J. ACM 65 (2018): cached
    iterative weakening. E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", J. ACM
    21 (1974): two halves.

    Two bins of 18: 36 cannot be divided into three, as each would weigh 12 and no other label makes 12 with the 9.

    >>> labels = Labels("abcdef", [9, 7, 6, 5, 5, 4])
    >>> found = covered(labels, 12, 12, 36, 1_000, lambda share, cost, low: True)
    >>> found.bins.tolist(), found.cost, found.bound.name, found.bound.witness
    ([0, 1, 1, 0, 1, 0], 18, 'exact cover', (17, 0, 6))
    """
    most, *witness = most_classes(labels, k)
    order, sizes = sizes_of(labels, k, most)
    result = weakened(sizes, low, cost, steps, goes_on)
    bins = None
    if result.best is not None:
        bins = np.empty(len(labels), dtype=np.int64)
        bins[order] = sizes.unfolded(result.best)
    if result.low == low:
        return Covered(bins, result.cost, None)
    # a witness only where `verify` can repeat the refutation within its own limits
    if refutable(sizes, result.low - 1, CHECKED_STEPS, CHECKED_SUMS):
        return Covered(bins, result.cost, Bound(result.low, "exact cover", witness=(result.low - 1, *witness)))
    return Covered(bins, result.cost, Bound(result.low, "exact search", "solver"))


# ---------------------------------------------------------------------------------------------------------------------
# Iterative weakening: the least cap under which some contents hold every label once, searched from below.
# ---------------------------------------------------------------------------------------------------------------------


FIRST_SLICE = 20_000  # steps of the search before it asks whether to continue; eight times as many each time
SLICE = 50_000_000  # but not more
REMEMBERED = 1 << 17  # sets of labels that cannot be packed
GROWTH = 1.3  # of what lies between two caps


@dataclass(frozen=True)
class Weakened:
    """How far the search has come."""

    # low, cost: no packing costs less than `low`; the best known one costs `cost`
    low: int
    cost: int
    # a packing of that cost: for each bin, how many labels of each size. None if none is better than the given packing
    best: list[list[int]] | None
    spent: int  # steps


def weakened(sizes: Sizes, low: int, cost: int, steps: int, goes_on: Callable[[float, int, int], bool]) -> Weakened:
    """The least cap, at least `low`, that some packing keeps, or how far the steps went.

    Parameters
    ----------
    sizes : None of them may be kept apart.
    low, cost : A proven lower bound, and what a known packing costs.
    steps : Sums and contents that are listed or tried, about.
    goes_on : ``goes_on(share of the steps, cost, low)``.

    >>> weakened(Sizes([6, 5, 2], [2, 2, 3], k=8, most=3), 10, 28, 1_000, lambda share, cost, low: True)
    Weakened(low=10, cost=10, best=[[1, 0, 2], [1, 0, 1], [0, 2, 0]], spent=...)
    """
    best: list[list[int]] | None = None
    fields = fields_of(sizes)
    if fields is None:
        return Weakened(low, cost, best, 0)
    listing, failed = Listing(sizes, fields), nothing_failed()
    cap, growth, spent = low, 1, 0
    while low < cost and spent < steps:
        contents = listing.contents(cap, cost - 1)
        if contents is None:
            break
        stack = first_bin(listing, contents.begin, cap)
        spent += listing.length + len(contents.sums)
        portion = FIRST_SLICE
        while stack.depth[0] >= 0 and spent < steps and goes_on(spent / steps, cost, low):
            left = min(portion, steps - spent)
            portion = min(8 * portion, SLICE)
            spent += int(search(fields, contents, failed, stack, sizes.k, sizes.most, left))
            if stack.found[0] and stack.cap[0] + 1 < cost:
                cost = int(stack.cap[0]) + 1
                best = [listing.numbers(contents, place) for place in stack.best[: stack.found[0]].tolist()]
        # stopped, or not every group is listed: then this cap is not refuted
        if stack.depth[0] >= 0 or not listing.whole:
            break
        low = int(stack.cap[0]) + 1
        growth = max(growth + 1, int(growth * GROWTH))
        cap = min(cap + growth, cost - 1)
    return Weakened(low, cost, best, spent)


def refutable(sizes: Sizes, cap: int, steps: int, sums: int) -> bool:
    """Whether this many steps, half sums and contents, starting afresh, show that no packing keeps the cap.

    >>> sizes = Sizes([6, 5, 2], [2, 2, 3], k=8, most=3)
    >>> refutable(sizes, 9, 100, 100), refutable(sizes, 10, 100, 100)
    (True, False)
    """
    fields = fields_of(sizes)
    if fields is None:
        return False
    listing = Listing(sizes, fields)
    contents = listing.contents(cap, cap)
    if contents is None or not listing.whole or max(listing.length, len(contents.sums)) > sums:
        return False
    stack = first_bin(listing, contents.begin, cap)
    search(fields, contents, nothing_failed(), stack, sizes.k, sizes.most, steps)
    return bool(stack.depth[0] < 0 and stack.found[0] == 0)


def nothing_failed() -> Failed:
    return Failed(*(np.full(REMEMBERED, -1) for _ in range(4)))


def first_bin(listing: Listing, begin: np.ndarray, cap: int) -> Stack:
    """The search before its first step."""
    sizes, fields = listing.sizes, listing.fields
    rows = [np.zeros(sizes.most + 1, dtype=np.int64) for _ in range(7)]
    numbers = np.array(sizes.numbers) << fields.shift
    rows[0][0], rows[1][0] = numbers[fields.word == 0].sum(), numbers[fields.word == 1].sum()
    rows[2][0], rows[4][0] = listing.total, begin[0]
    return Stack(*rows, *(np.array([value]) for value in (0, 0, cap)))


ITEMS = 38  # members of a neighborhood: labels, or several of one bin that stay together
FEWEST = 4  # bins of a neighborhood, if there are that many
STEPS = 4_000_000  # for one neighborhood
FAILURES = 40  # neighborhoods in a row without an improvement


def remade(
    weights: np.ndarray,
    bin_of: np.ndarray,
    k: int,
    low: int,
    steps: int,
    generator: np.random.Generator,
    goes_on: Callable[[float], bool],
) -> np.ndarray:
    """A packing made more and more even, with the same number of bins, until the largest is `low` and all reach k.

    A neighborhood is the heaviest bin, the lightest and random ones. If they hold too many labels, random labels of a
    bin stay together. Its bins are made as even as possible, and made to reach k if they weigh enough. So bins may be
    below k both in the given packing and in the returned one.

    Parameters
    ----------
    weights : (n,) int64
    bin_of : (n,) int. A packing; not changed.
    low : No largest bin is below this.
    steps : Of `weakened`, for all neighborhoods together.
    goes_on : ``goes_on(share of the steps)``.

    Returns (n,) int array: the bin of each label.

    >>> weights, bins = np.array([9, 8, 7, 6, 5, 4, 3]), np.array([0, 0, 1, 1, 2, 2, 2])
    >>> made = remade(weights, bins, 14, 14, 1_000, np.random.default_rng(0), lambda share: True)
    >>> np.bincount(made, weights).tolist()
    [14.0, 14.0, 14.0]
    """
    bin_of = bin_of.astype(np.int64)
    bins = int(bin_of.max()) + 1
    levels = np.zeros(bins, dtype=np.int64)
    np.add.at(levels, bin_of, weights)
    spent = failures = 0
    while (levels.max() > low or levels.min() < k) and failures < FAILURES and spent < steps and goes_on(spent / steps):
        ends = [int(np.argmax(levels)), int(np.argmin(levels))]
        others = generator.permutation(np.setdiff1d(np.arange(bins), ends))
        chosen = np.array([*ends, *others[: max(FEWEST, ITEMS * bins // len(weights)) - 2]])
        groups = _groups(bin_of, chosen, generator)
        sums = np.array([int(weights[group].sum()) for group in groups])
        total, highest = int(sums.sum()), int(levels[chosen].max())
        order = np.argsort(-sums, kind="stable")
        sizes, numbers = np.unique(-sums, return_counts=True)
        floor = k if total >= k * len(chosen) else 1
        task = Sizes((-sizes).tolist(), numbers.tolist(), floor, len(chosen))
        least = max(-(-total // len(chosen)), int(sums.max()))
        upper = highest + int(levels[chosen].min() < floor)
        result = weakened(task, least, upper, min(STEPS, steps - spent), lambda *_: True)
        spent += result.spent + 20 * len(weights)
        failures += 1
        if result.best is not None:
            failures = 0
            for place, to in zip(order.tolist(), task.unfolded(result.best).tolist(), strict=True):
                bin_of[groups[place]] = chosen[to]
            levels[chosen] = 0
            np.add.at(levels, bin_of[np.concatenate(groups)], weights[np.concatenate(groups)])
    return bin_of


def _groups(bin_of: np.ndarray, chosen: np.ndarray, generator: np.random.Generator) -> list[np.ndarray]:
    """The labels of these bins one by one; if there are too many, some of each bin and the rest of it as one."""
    members = [np.flatnonzero(bin_of == number) for number in chosen.tolist()]
    if sum(map(len, members)) <= ITEMS:
        return [items[place : place + 1] for items in members for place in range(len(items))]
    free = ITEMS // len(chosen) - 1
    groups = []
    for items in members:
        items = generator.permutation(items)
        groups += [items[place : place + 1] for place in range(min(free, len(items)))]
        groups += [items[free:]] if len(items) > free else []
    return groups


# ---------------------------------------------------------------------------------------------------------------------
# All that a bin may hold between two weights, by meeting in the middle: sums of half of the sizes, and of the other
# half.
# ---------------------------------------------------------------------------------------------------------------------


WORD = 62  # bits
MOST_HALF = 1 << 20  # sums of one half
MOST_CONTENTS = 1 << 19  # above that every second one is left out, or more
HEADROOM = 1.25  # times the cap: so far halves are listed, for the next caps


@dataclass(frozen=True)
class Half:
    """What a bin may hold of some sizes, in ascending order of weight."""

    # sums, low, high: (h,) int64: weight, and the two words of `Fields`
    sums: np.ndarray
    low: np.ndarray
    high: np.ndarray
    heaviest: np.ndarray  # (h,) int64: the heaviest size in it; the number of sizes where it holds nothing


def fields_of(sizes: Sizes) -> Fields | None:
    """Where two words hold the number of labels of each size; None if the words are too short.

    >>> fields = fields_of(Sizes([6, 5, 2], [1, 2, 3], k=10, most=2))
    >>> fields.shift.tolist(), fields.mask.tolist(), bin(fields.guard_low)
    ([0, 2, 5], [1, 3, 3], '0b10010010')
    """
    word: list[int] = []
    shift: list[int] = []
    mask: list[int] = []
    guards, end = [0, 0], 0
    for number in sizes.numbers:
        bits = number.bit_length()
        last = word[-1] if word else 0
        if end + bits + 1 > WORD:
            last, end = last + 1, 0
        if last > 1:
            return None
        word.append(last)
        shift.append(end)
        mask.append((1 << bits) - 1)
        end += bits + 1
        guards[last] |= 1 << (end - 1)
    return Fields(np.array(word), np.array(shift), np.array(mask), *guards)


def halves_of(sizes: Sizes, fields: Fields, cap: int) -> tuple[Half, Half] | None:
    """What a bin up to the cap may hold of either half of the sizes; None if that is too much to list.

    >>> sizes = Sizes([6, 5, 2], [1, 2, 3], k=10, most=2)
    >>> one, other = halves_of(sizes, fields_of(sizes), 11)
    >>> one.sums.tolist(), other.sums.tolist()
    ([0, 2, 4, 6, 6, 8, 10], [0, 5, 10])
    """
    dealt: tuple[list[int], list[int]] = ([], [])
    ways = [1, 1]
    for size, number in enumerate(sizes.numbers):
        to = int(ways[1] < ways[0])
        dealt[to].append(size)
        ways[to] *= number + 1
    one, other = (_half(sizes, fields, half, cap) for half in dealt)
    return None if one is None or other is None else (one, other)


def _half(sizes: Sizes, fields: Fields, members: list[int], cap: int) -> Half | None:
    none = np.zeros(1, dtype=np.int64)
    rows = [(none, none, none, np.full(1, len(sizes.weights)))]
    for size in members:
        sums, low, high, heaviest = rows[0]
        for number in range(1, sizes.numbers[size] + 1):
            weight = number * sizes.weights[size]
            light = sums + weight <= cap
            if not light.any():
                break
            bits = number << int(fields.shift[size])
            added = (0, bits) if fields.word[size] else (bits, 0)
            least = np.minimum(heaviest[light], size)
            rows.append((sums[light] + weight, low[light] + added[0], high[light] + added[1], least))
        if sum(len(row[0]) for row in rows) > MOST_HALF:
            return None
        rows = [tuple(np.concatenate(columns) for columns in zip(*rows, strict=True))]  # type: ignore[list-item]
    order = np.argsort(rows[0][0], kind="stable")
    return Half(*(column[order] for column in rows[0]))


class Listing:
    """The contents of bins of some sizes, below one cap after another.

    >>> sizes = Sizes([6, 5, 2], [1, 2, 3], k=10, most=2)
    >>> listing = Listing(sizes, fields_of(sizes))
    >>> found = listing.contents(12, 12)
    >>> found.sums.tolist(), found.begin.tolist(), listing.numbers(found, 0)
    ([12, 11, 10, 12, 11, 10], [0, 3, 6, 6], [1, 0, 3])
    """

    def __init__(self, sizes: Sizes, fields: Fields) -> None:
        self.sizes, self.fields = sizes, fields
        self.total = sum(weight * number for weight, number in zip(sizes.weights, sizes.numbers, strict=True))
        self.length = 0  # how many half sums there are
        self.whole = True  # whether the last contents were complete
        self._halves: tuple[Half, Half] | None = None
        self._upto = -1  # limit up to which the halves are listed

    def contents(self, cap: int, highest: int) -> Contents | None:
        """Contents that leave what the other bins can take with none above the cap; None if there are too many.

        Later calls ask for at most `highest`.
        """
        if cap > self._upto:
            self._upto = min(int(cap * HEADROOM), highest)
            self._halves = halves_of(self.sizes, self.fields, self._upto)
        if self._halves is None:
            return None
        one, other = self._halves
        self.length = len(one.sums) + len(other.sums)
        low = max(self.sizes.k, self.total - (self.sizes.most - 1) * cap)
        count = int(count_pairs(one.sums, other.sums, low, cap))
        stride = -(-max(count, 1) // MOST_CONTENTS)
        self.whole = stride == 1
        first, second = (np.empty(-(-count // stride), dtype=np.int64) for _ in range(2))
        list_pairs(one.sums, other.sums, low, cap, stride, first, second)
        sums = one.sums[first] + other.sums[second]
        heaviest = np.minimum(one.heaviest[first], other.heaviest[second])
        order = np.lexsort((-sums, heaviest))
        begin = np.searchsorted(heaviest[order], np.arange(len(self.sizes.weights) + 1))
        first, second = first[order], second[order]
        return Contents(sums[order], one.low[first] + other.low[second], one.high[first] + other.high[second], begin)

    def numbers(self, contents: Contents, place: int) -> list[int]:
        """How many labels of each size one content has."""
        word, shift, mask, *_ = self.fields
        words = np.where(word == 0, contents.low[place], contents.high[place])
        return (words >> shift & mask).tolist()
