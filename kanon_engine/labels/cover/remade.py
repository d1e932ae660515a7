"""Large neighbourhoods: the labels of some bins are dealt out anew, as the best exact cover of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.labels.cover.weakening import weakened
from kanon_engine.labels.packing.integer_program import Sizes

ITEMS = 38  # of which a neighbourhood consists: labels, or several of one bin that stay together
FEWEST = 4  # bins of a neighbourhood, where there are as many
STEPS = 4_000_000  # for one neighbourhood
FAILURES = 40  # neighbourhoods in a row of which nothing came


def remade(
    weights: np.ndarray,
    bin_of: np.ndarray,
    k: int,
    low: int,
    steps: int,
    generator: np.random.Generator,
    goes_on: Callable[[float], bool],
) -> np.ndarray:
    """A packing into the same number of bins made more and more even, until the largest is `low` and all reach k.

    A neighbourhood is the heaviest bin, the lightest and random ones; where they hold too many labels, random ones of a
    bin stay together. Its bins are made as even as can be, and to reach k where they weigh enough. So the packing that
    is given need not have bins of k, nor the one that is returned.

    Parameters
    ----------
    weights : (n,) int64 array
    bin_of : (n,) int array
        A packing; not changed.
    k : int
    low : int
        No largest bin is below this.
    steps : int
        Of `weakened`, for all neighbourhoods together.
    generator : np.random.Generator
    goes_on : callable
        ``goes_on(share of the steps)``.

    Returns
    -------
    (n,) int array
        The bin of each label.

    Example
    -------
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
        chosen = _neighbourhood(levels, max(FEWEST, ITEMS * bins // len(weights)), generator)
        groups = _groups(bin_of, chosen, generator)
        sums = np.array([int(weights[own].sum()) for own in groups])
        total, highest = int(sums.sum()), int(levels[chosen].max())
        order = np.argsort(-sums, kind="stable")
        sizes, numbers = np.unique(-sums, return_counts=True)
        floor = k if total >= k * len(chosen) else 1
        task = Sizes((-sizes).tolist(), numbers.tolist(), floor, len(chosen))
        least = max(-(-total // len(chosen)), int(sums.max()))
        known = highest + int(levels[chosen].min() < floor)
        found = weakened(task, least, known, min(STEPS, steps - spent), lambda *_: True)
        spent += found.spent + 20 * len(weights)
        failures += 1
        if found.best is not None:
            failures = 0
            for place, to in zip(order.tolist(), task.unfolded(found.best).tolist(), strict=True):
                bin_of[groups[place]] = chosen[to]
            levels[chosen] = 0
            np.add.at(levels, bin_of[np.concatenate(groups)], weights[np.concatenate(groups)])
    return bin_of


def _neighbourhood(levels: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """The heaviest bin, the lightest, and random ones."""
    ends = [int(np.argmax(levels)), int(np.argmin(levels))]
    others = np.setdiff1d(np.arange(len(levels)), ends)
    return np.array([*ends, *generator.permutation(others)[: max(count - 2, 0)]])


def _groups(bin_of: np.ndarray, chosen: np.ndarray, generator: np.random.Generator) -> list[np.ndarray]:
    """The labels of these bins one by one, or where they are too many, some of each bin and the rest of it as one."""
    members = [np.flatnonzero(bin_of == number) for number in chosen.tolist()]
    if sum(map(len, members)) <= ITEMS:
        return [own[place : place + 1] for own in members for place in range(len(own))]
    free = ITEMS // len(chosen) - 1
    groups = []
    for own in members:
        own = generator.permutation(own)
        groups += [own[place : place + 1] for place in range(min(free, len(own)))]
        groups += [own[free:]] if len(own) > free else []
    return groups
