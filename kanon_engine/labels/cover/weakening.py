"""Iterative weakening: the least cap under which some contents hold every label once, sought from below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.cover.contents import Listing, fields_of
from kanon_engine.labels.cover.kernels import Failed, Stack, search
from kanon_engine.labels.packing.integer_program import Sizes

FIRST_SLICE = 20_000  # steps of the search before it asks whether to go on; eight times as many each time
SLICE = 50_000_000  # but not more
REMEMBERED = 1 << 17  # sets of labels that cannot be packed
GROWTH = 1.3  # of what lies between two caps


@dataclass(frozen=True)
class Weakened:
    """How far it has come.

    Attributes
    ----------
    low, cost : int
        No packing costs less than `low`; the best known one costs `cost`.
    best : list of lists of int, or None
        A packing of that cost: for each bin how many labels of each size. None where none is better than the given.
    spent : int
        Steps.
    """

    low: int
    cost: int
    best: list[list[int]] | None
    spent: int


def weakened(sizes: Sizes, low: int, cost: int, steps: int, goes_on: Callable[[float, int, int], bool]) -> Weakened:
    """The least cap from `low` on that some packing keeps, or how far the steps went.

    Parameters
    ----------
    sizes : Sizes
        Without any that are kept apart.
    low, cost : int
        A proven lower bound, and what a known packing costs.
    steps : int
        Sums and contents that are listed or tried, about.
    goes_on : callable
        ``goes_on(share of the steps, cost, low)``.

    Example
    -------
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
        if stack.depth[0] >= 0 or not listing.whole:
            break
        low = int(stack.cap[0]) + 1
        growth = max(growth + 1, int(growth * GROWTH))
        cap = min(cap + growth, cost - 1)
    return Weakened(low, cost, best, spent)


def refutable(sizes: Sizes, cap: int, steps: int, sums: int) -> bool:
    """Whether so many steps, on so many sums of halves and contents, show from the start that no packing keeps the cap.

    Example
    -------
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
    """A memory without entries."""
    return Failed(*(np.full(REMEMBERED, -1) for _ in range(4)))


def first_bin(listing: Listing, begin: np.ndarray, cap: int) -> Stack:
    """The search before its first step."""
    sizes, fields = listing.sizes, listing.fields
    rows = [np.zeros(sizes.most + 1, dtype=np.int64) for _ in range(7)]
    numbers = np.array(sizes.numbers) << fields.shift
    rows[0][0], rows[1][0] = numbers[fields.word == 0].sum(), numbers[fields.word == 1].sum()
    rows[2][0], rows[4][0] = listing.total, begin[0]
    return Stack(*rows, *(np.array([value]) for value in (0, 0, cap)))
