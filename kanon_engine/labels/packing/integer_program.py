"""Can labels be packed with no bin above a cap? Two integer programs for CP-SAT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.search.solvers import solved, solver_for

MOST_PATTERNS = 20_000
LISTING = 2_000_000  # steps of listing patterns


@dataclass(frozen=True)
class Sizes:
    """Labels of the same weight are the same thing, but not those with conflicts.

    Attributes
    ----------
    weights, numbers : list of int
        Weights in descending order, how many of each.
    k, most : int
        The most bins.
    apart : tuple of pairs
        Places in `weights`, the lesser first, that may not share a bin.
    """

    weights: list[int]
    numbers: list[int]
    k: int
    most: int
    apart: tuple[tuple[int, int], ...] = ()

    def unfolded(self, contents: list[list[int]]) -> np.ndarray:
        """The bin of each label in the order of `sizes_of`; labels of the same weight are dealt bin after bin."""
        table = np.array(contents)
        return np.concatenate([np.repeat(np.arange(len(table)), table[:, size]) for size in range(table.shape[1])])


def sizes_of(labels: Labels, k: int, most: int) -> tuple[np.ndarray, Sizes]:
    """The labels' positions from the heaviest on, and their sizes.

    Example
    -------
    >>> order, sizes = sizes_of(Labels("abcd", [4, 4, 4, 3], apart=[("a", "d")]), 5, 2)
    >>> order.tolist(), sizes.weights, sizes.numbers, sizes.apart
    ([1, 2, 0, 3], [4, 4, 3], [2, 1, 1], ((1, 2),))
    """
    own = np.full(len(labels), -1)  # a size of its own for each label with conflicts
    own[[place for pair in labels.conflicts for place in pair]] = 0
    own[own == 0] = np.flatnonzero(own == 0)
    order = np.lexsort((np.arange(len(labels)), own, -labels.counts))
    weights, own = labels.counts[order], own[order]
    first = np.flatnonzero((np.diff(weights, prepend=0) != 0) | (np.diff(own, prepend=-2) != 0))
    size = {int(place): number for number, place in enumerate(order[first].tolist())}
    apart = tuple(sorted((min(pair), max(pair)) for pair in ((size[a], size[b]) for a, b in labels.conflicts)))
    numbers = np.diff(first, append=len(order))
    return order, Sizes(weights[first].tolist(), numbers.tolist(), k, most, apart)


def packing_up_to(
    sizes: Sizes, seed: int, cap: int, effort: float, goes_on: Callable[[], bool]
) -> tuple[str, np.ndarray | None, float]:
    """Look for a packing with every bin from k to the cap.

    Where few enough contents of a bin are possible, the program says how often each is used (Gilmore and Gomory's
    formulation); bins have no names there. Else it says how many labels of each weight each bin holds; of the bins,
    which may change places, the heavier come first, and the used ones before the others.

    Parameters
    ----------
    sizes : Sizes
    seed, cap : int
    effort : float
        Deterministic time of CP-SAT, in its own unit; the same on every machine.
    goes_on : callable
        Whether to go on.

    Returns
    -------
    verdict : str
        "impossible" (proven), "found" or "open".
    bins : (n,) int64 array or None
        The bin of each label in the order of `sizes_of`, when a packing was found.
    spent : float
        The part of the effort that was used.
    """
    from ortools.sat.python import cp_model

    contents = possible_contents(sizes, cap)
    model = cp_model.CpModel()
    if contents is not None:
        uses = [model.new_int_var(0, min(have // held for have, held in _pairs(sizes, c)), "") for c in contents]
        for size, number in enumerate(sizes.numbers):
            model.add(sum(c[size] * use for c, use in zip(contents, uses, strict=True) if c[size]) == number)
    else:
        held = [[model.new_int_var(0, number, "") for number in sizes.numbers] for _ in range(sizes.most)]
        used = [model.new_bool_var("") for _ in held]
        loads = [sum(w * h for w, h in zip(sizes.weights, row, strict=True)) for row in held]
        for size, number in enumerate(sizes.numbers):
            model.add(sum(row[size] for row in held) == number)
        for row in held:
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
        rows = [[solver.value(entry) for entry in row] for row in held]
        bins = [row for row in rows if any(row)]
    return "found", sizes.unfolded(bins), solver.deterministic_time


def possible_contents(sizes: Sizes, cap: int) -> list[list[int]] | None:
    """Every content of a bin that weighs k to the cap, as numbers of labels of each weight; None if there are too many.

    Example
    -------
    >>> possible_contents(Sizes([6, 5, 2], [1, 2, 3], k=10, most=2), 11)
    [[1, 1, 0], [1, 0, 2], [0, 2, 0], [0, 1, 3]]
    """
    excludes: dict[int, list[int]] = {}
    for one, other in sizes.apart:
        excludes.setdefault(other, []).append(one)
    rest = np.cumsum((np.array(sizes.weights) * np.array(sizes.numbers))[::-1])[::-1].tolist() + [0]
    found: list[list[int]] = []
    stack: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
    steps = 0
    while stack:
        size, weight, content = stack.pop()
        steps += 1
        if len(found) > MOST_PATTERNS or steps > LISTING:
            return None
        if weight + rest[size] < sizes.k:
            continue
        if size == len(sizes.weights):
            found.append(list(content))
            continue
        barred = any(content[other] for other in excludes.get(size, ()))
        most = 0 if barred else min(sizes.numbers[size], (cap - weight) // sizes.weights[size])
        stack += [(size + 1, weight + number * sizes.weights[size], (*content, number)) for number in range(most + 1)]
    return found


def _pairs(sizes: Sizes, content: list[int]) -> list[tuple[int, int]]:
    return [(have, held) for have, held in zip(sizes.numbers, content, strict=True) if held]
