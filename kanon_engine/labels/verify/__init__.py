"""The independent check of label results: how the bins were filled, the ceiling, the bound."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.labels.instance import BinDetails, LabelDetails, Labels
from kanon_engine.labels.verify.bounds import proven
from kanon_engine.labels.verify.constraints import as_items, constraints_kept
from kanon_engine.labels.verify.ordered import intervals_are_best
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


RELAXED = "relaxed-scheme"


def verify(labels: Labels, g: Generalization) -> Iterator[Check]:
    """Every claim that only labels make; see `kanon_engine.verification.verify`."""
    yield from constraints_kept(labels, g)
    given, (labels, g) = labels, as_items(labels, g)
    yield _bound(labels, g)
    if g.algorithm not in ("fold", "spread") or g.require:  # merged bins are no longer filled by next fit
        yield from _bins(labels, g)
        if g.algorithm == "ordered":
            yield from intervals_are_best(given, g)
        return
    details = g.details
    record = isinstance(details, LabelDetails)
    record = record and type(details.alone) is type(details.placed) is type(details.threshold) is int
    yield Check("details", record, f"the details are a {type(details).__name__}.")
    yield Check("threshold", details.threshold == g.k, f"every bin had to reach {g.k:,}.")
    yield _order(labels, g)
    yield _alone(labels, g)
    yield _next_fit(labels, g)
    yield from _leftovers(labels, g)
    ceiling = _ceiling(labels, g)
    yield Check("guarantee formula", g.guarantee == ceiling, f"the ceiling proven for Fold and Spread is {ceiling:,}.")


def _bins(labels: Labels, g: Generalization) -> Iterator[Check]:
    """What holds of every packing that is not by next fit."""
    details = g.details
    record = isinstance(details, BinDetails) and type(details.threshold) is int
    record = record and isinstance(details.method, str) and details.method.strip() != ""
    yield Check("details", record, f"the details are a {type(details).__name__}.")
    least = _threshold(g)
    yield Check("threshold", details.threshold == least, f"every bin had to reach {least:,}.")
    relaxed = (g.status == "relaxed") == (g.algorithm == RELAXED)
    yield Check("relaxed", relaxed, f"the status is {g.status}, given by {g.algorithm}.")
    order = details.order
    whole = order.dtype == np.int32 and sorted(order.tolist()) == list(range(len(labels)))
    yield Check("packing order", whole, f"each of {len(labels):,} labels was placed once.")
    opened = list(dict.fromkeys(g.assignment[order].tolist()))
    yield Check("opening order", opened == list(range(g.classes)), f"{g.classes:,} bins are numbered as opened.")
    proven_before = g.algorithm in CEILINGS and not labels.apart and not g.require
    promised = CEILINGS[g.algorithm](labels, g) if proven_before else None
    found = "no ceiling is proven before the run." if promised is None else f"the ceiling proven is {promised:,}."
    yield Check("guarantee formula", g.guarantee == promised, found)


def _threshold(g: Generalization) -> int:
    """k, or (1 - epsilon) k, rounded up, where classes may be lighter."""
    if g.algorithm != RELAXED:
        return g.k
    share = 1 - Fraction(str(g.options["epsilon"]))
    return max(1, -(-share.numerator * g.k // share.denominator))


def _order(labels: Labels, g: Generalization) -> Check:
    """The order that the options and the seed promise, with the labels >= k moved to the front."""
    n = len(labels)
    order = g.options.get("order")
    if order == "random":
        promised = np.random.default_rng(g.seed).permutation(n).tolist()
    elif order == "sorted":
        counts = labels.counts.tolist()
        promised = sorted(range(n), key=lambda item: -counts[item])
    elif order != "given":
        return Check("packing order", False, f"no order is called {order!r}.")
    else:
        promised = list(range(n))
    heavy = set(np.flatnonzero(labels.counts >= g.k).tolist())
    expected = [item for item in promised if item in heavy] + [item for item in promised if item not in heavy]
    good = g.details.order.dtype == np.int32 and g.details.order.tolist() == expected
    return Check("packing order", good, f"all {n:,} labels were packed in {order} order.")


def _alone(labels: Labels, g: Generalization) -> Check:
    details = g.details
    heavy = int((labels.counts >= g.k).sum())
    own = np.array_equal(g.assignment[details.order[: details.alone]], np.arange(details.alone))
    good = details.alone == heavy and own
    return Check("heavy labels", good, f"{heavy:,} labels of at least k have bins of their own.")


def _next_fit(labels: Labels, g: Generalization) -> Check:
    """Consecutive labels share a bin; each bin reaches k with its last label and not before; the rest is below k."""
    details = g.details
    in_range = details.alone <= details.placed <= len(labels)
    items = details.order[details.alone : details.placed]
    bins = g.assignment[items] - details.alone
    full = g.classes - details.alone
    steps = np.diff(bins, prepend=-1, append=full)
    runs = bool(((steps == 0) | (steps == 1)).all()) and (len(items) > 0 or full == 0)
    sums = np.bincount(bins, weights=labels.counts[items], minlength=full) if runs else np.zeros(full)
    last = labels.counts[items[np.flatnonzero(steps[1:])]] if runs else np.zeros(full)
    reached = bool((sums >= g.k).all() and (sums - last < g.k).all())
    rest = int(labels.counts[details.order[details.placed :]].sum())
    good = in_range and runs and reached and rest < g.k
    found = f"{len(items):,} labels fill {full:,} bins one after another; {rest:,} {labels.unit} are left."
    return Check("next fit", good, found)


def _leftovers(labels: Labels, g: Generalization) -> Iterator[Check]:
    details = g.details
    items = details.order[details.placed :].tolist()
    targets = details.leftover_classes.tolist()
    same = details.leftover_classes.dtype == np.int32 and g.assignment[items].tolist() == targets
    yield Check("leftover classes", same, f"{len(items):,} labels were left over and have the classes that were noted.")
    levels = [0] * g.classes
    placed = details.order[: details.placed]
    for number, count in zip(g.assignment[placed].tolist(), labels.counts[placed].tolist(), strict=True):
        levels[number] += count
    weights = labels.counts[items].tolist()
    if g.algorithm == "fold":
        expected = [levels.index(min(levels))] * len(items)
        rule = "in the lightest bin"
    else:
        expected = _spread(levels, weights)
        rule = "in the lightest bin while the maximum stays, then in turn"
    yield Check("leftover rule", targets == expected, f"the leftover labels are {rule}.")


def _spread(levels: list[int], weights: list[int]) -> list[int]:
    largest = max(levels)
    targets: list[int] = []
    queue = [(level, number) for number, level in enumerate(levels)]
    heapq.heapify(queue)
    while len(targets) < len(weights) and queue[0][0] + weights[len(targets)] <= largest:
        level, number = queue[0]
        heapq.heapreplace(queue, (level + weights[len(targets)], number))
        targets.append(number)
    turn = [number for _, number in sorted(queue)]
    return targets + [turn[place % len(turn)] for place in range(len(weights) - len(targets))]


def _ceiling(labels: Labels, g: Generalization) -> int:
    counts = labels.counts.tolist()
    heavy = [count for count in counts if count >= g.k]
    filled = g.k - 1 + max((count for count in counts if count < g.k), default=0)
    by_next_fit = g.classes > len(heavy)
    lightest = min([*heavy, filled]) if by_next_fit else min(heavy)
    largest = max([*heavy, filled]) if by_next_fit else max(heavy)
    return max(largest, lightest + (g.k - 1 if g.details.placed < len(counts) else 0))


def _bound(labels: Labels, g: Generalization) -> Check:
    """Recompute the bound that the result names."""
    if g.bound_kind == "solver":
        named = g.bound_name == "exact search" and g.bound_witness == ()
        return Check("bound witness", named, f"{g.lower_bound:,} stands on the word of a search.")
    value = proven(labels, _threshold(g), g.bound_name, g.bound_witness)
    if value is None:
        return Check("bound witness", False, f"no bound is called {g.bound_name!r} with the witness {g.bound_witness}.")
    found = f"“{g.bound_name}” gives {value:,}, the result says {g.lower_bound:,}."
    return Check("bound witness", value == g.lower_bound, found)


def _sorted_fold(labels: Labels, g: Generalization) -> int:
    """The cost of Fold on the sorted labels, which is a candidate of the algorithms that promise it."""
    levels, level = [], 0
    for count in sorted(labels.counts.tolist(), reverse=True):
        level += count
        if level >= g.k:
            levels.append(level)
            level = 0
    return max(max(levels), min(levels) + level)


def _ordered(labels: Labels, g: Generalization) -> int:
    """Next fit in the order, what is left over merged into the last interval: each below k twice around one label."""
    return min(labels.total, 2 * (g.k - 1) + int(labels.counts.max()))


# the proven ceiling of each algorithm that packs into `BinDetails`; None where a theorem bounds the ratio alone
CEILINGS: dict[str, Callable[[Labels, Generalization], int | None]] = {
    "five-halves": _sorted_fold,
    "two-approximation": _sorted_fold,
    "scheme": _sorted_fold,
    "relaxed-scheme": _sorted_fold,
    "near-optimal": _sorted_fold,
    "ordered": _ordered,
}
