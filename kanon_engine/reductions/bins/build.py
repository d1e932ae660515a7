"""Weights as labels: the three constructions for min-max bin covering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.reductions.model import Carried, Gadget
from kanon_engine.reductions.problems.halves import Numbers
from kanon_engine.reductions.problems.three_partition import Weights


def exact_groups(source: Weights, mutation: str | None = None) -> Carried:
    """A label for each weight, k = K = B (Theorem 5)."""
    bound = source.bound
    k = {"k is B + 1": bound + 1, "one less or more": bound - 1, "two groups": 2 * bound}.get(mutation or "", bound)
    most = {"K is B - 1": bound - 1, "one less or more": bound + 1, "K is 2 B": 2 * bound, "two groups": 2 * bound}
    return _labels(source.weights, source.weights, k, most.get(mutation or "", bound), mutation)


def raised(source: Weights) -> int:
    """M: what every weight is raised by for Theorem 6, so much that four raised weights are 4/3 of three.

    Example
    -------
    >>> raised(Weights(13, (4, 4, 5)))
    169
    """
    return source.bound**2


def far_apart(source: Weights, mutation: str | None = None) -> Carried:
    """A label of M more for each weight, k = 3 M + B, K = 4 M + B: a “no” costs more than K (Theorem 6, unary)."""
    more, bound = raised(source), source.bound
    counts = [more + weight for weight in source.weights]
    counts[0] += {"first weight not raised": -more, "first weight raised twice": more}.get(mutation or "", 0)
    times = {"k raised by 2 M": 2, "k raised by 4 M": 4, "k not raised": 0}.get(mutation or "", 3)
    most = {"K is 6 M + 2 B": 6 * more + 2 * bound, "K is 2 M + B": 2 * more + bound}
    return _labels(source.weights, counts, times * more + bound, most.get(mutation or "", 4 * more + bound), mutation)


def two_bins(source: Numbers, mutation: str | None = None) -> Carried:
    """A label for each number, k = K = S, half of all: a “no” costs 2 S (Theorem 6, binary)."""
    half = source.half
    k = half + {"k is S + 1": 1, "k is S - 1": -1, "one less or more": -1}.get(mutation or "", 0)
    most = half + {"K is S + 1": 1, "K is S - 1": -1, "one less or more": 1, "K is 2 S": half}.get(mutation or "", 0)
    return _labels(source.numbers, source.numbers, max(k, 1), most, mutation)


def _labels(said: Sequence[int], counts: Sequence[int], k: int, most: int, mutation: str | None) -> Carried:
    """Labels of these counts, with what is changed in the construction of them."""
    names = [f"w{place + 1}" for place in range(len(said))]
    stands_for = [f"the weight {weight}" for weight in said]
    counts = list(counts)
    if mutation == "last label left out" and len(counts) > 1:
        counts.pop()
    elif mutation == "last label twice":
        names.append(f"{names[-1]} again")
        stands_for.append(stands_for[-1])
        counts.append(counts[-1])
    elif mutation == "a record more":
        counts[-1] += 1
    elif mutation == "a record less":
        counts[counts.index(max(counts))] -= max(counts) > 1
    elif mutation == "equal weights joined":
        kinds = list(dict.fromkeys(counts))
        counts = [kind * counts.count(kind) for kind in kinds]
    gadgets = [
        Gadget(f"label {name} ({count})", "weight", meant, (place,))
        for place, (name, count, meant) in enumerate(zip(names, counts, stands_for, strict=False))
    ]
    return Carried(Labels(np.array(names[: len(counts)]), np.array(counts)), k, most, tuple(gadgets))
