"""All that a bin may hold between two weights, met in the middle: sums of half of the sizes, and of the other half."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.cover.kernels import Contents, Fields, count_pairs, list_pairs
from kanon_engine.labels.packing.integer_program import Sizes

WORD = 62  # bits
MOST_HALF = 1 << 20  # sums of one half
MOST_CONTENTS = 1 << 19  # above that every second one is left out, or more
HEADROOM = 1.25  # times the cap: so far halves are listed, for the next caps


@dataclass(frozen=True)
class Half:
    """What a bin may hold of some sizes, in ascending order of weight.

    Attributes
    ----------
    sums, low, high : (h,) int64 array
        Weight, and the two words of `Fields`.
    heaviest : (h,) int64 array
        The heaviest size in it; the number of sizes where it holds nothing.
    """

    sums: np.ndarray
    low: np.ndarray
    high: np.ndarray
    heaviest: np.ndarray


def fields_of(sizes: Sizes) -> Fields | None:
    """Where numbers of labels of each size stand in two words; None where these are too short.

    Example
    -------
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
    """What a bin up to the cap may hold of either half of the sizes; None where that is too much to list.

    Example
    -------
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
    one, other = (_half(sizes, fields, own, cap) for own in dealt)
    return None if one is None or other is None else (one, other)


def _half(sizes: Sizes, fields: Fields, own: list[int], cap: int) -> Half | None:
    none = np.zeros(1, dtype=np.int64)
    rows = [(none, none, none, np.full(1, len(sizes.weights)))]
    for size in own:
        sums, low, high, heaviest = rows[0]
        for number in range(1, sizes.numbers[size] + 1):
            weight = number * sizes.weights[size]
            light = sums + weight <= cap
            if not light.any():
                break
            bits = number << int(fields.shift[size])
            held = (0, bits) if fields.word[size] else (bits, 0)
            least = np.minimum(heaviest[light], size)
            rows.append((sums[light] + weight, low[light] + held[0], high[light] + held[1], least))
        if sum(len(row[0]) for row in rows) > MOST_HALF:
            return None
        rows = [tuple(np.concatenate(columns) for columns in zip(*rows, strict=True))]  # type: ignore[list-item]
    order = np.argsort(rows[0][0], kind="stable")
    return Half(*(column[order] for column in rows[0]))


class Listing:
    """The contents of bins of some sizes, below one cap after another.

    Attributes
    ----------
    sizes : Sizes
    fields : Fields
    total : int
        Weight of all labels.
    length : int
        How many sums of halves there are.
    whole : bool
        Whether the last contents were all that there are.

    Example
    -------
    >>> sizes = Sizes([6, 5, 2], [1, 2, 3], k=10, most=2)
    >>> listing = Listing(sizes, fields_of(sizes))
    >>> found = listing.contents(12, 12)
    >>> found.sums.tolist(), found.begin.tolist(), listing.numbers(found, 0)
    ([12, 11, 10, 12, 11, 10], [0, 3, 6, 6], [1, 0, 3])
    """

    def __init__(self, sizes: Sizes, fields: Fields) -> None:
        self.sizes, self.fields = sizes, fields
        self.total = sum(weight * number for weight, number in zip(sizes.weights, sizes.numbers, strict=True))
        self.length = 0
        self.whole = True
        self._halves: tuple[Half, Half] | None = None
        self._upto = -1  # so far the halves go

    def contents(self, cap: int, highest: int) -> Contents | None:
        """Those that leave what the other bins can take when none is above the cap; None where they are too many.

        No more than `highest` will be asked for later.
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
        """How many labels of each size there are in one of them."""
        word, shift, mask, *_ = self.fields
        words = np.where(word == 0, contents.low[place], contents.high[place])
        return (words >> shift & mask).tolist()
